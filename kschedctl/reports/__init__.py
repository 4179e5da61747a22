"""The versioned report and its renderers."""

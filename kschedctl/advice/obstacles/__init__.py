"""What can be done about each obstacle: a file each, by the plugins that see it."""

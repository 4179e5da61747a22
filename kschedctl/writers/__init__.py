"""Writers: from documents and reports to text, one a format."""

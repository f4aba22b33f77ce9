"""The lists of files that readers read: folders, patterns, list files."""

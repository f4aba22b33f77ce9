"""Members of archives: where each file in a tar or zip archive lies."""

"""The summary of a data set: `text` for terminals and programs, `page` for browsers."""

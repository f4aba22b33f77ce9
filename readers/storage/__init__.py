"""Files, local or remote, and the records in them."""

"""Tables: Parquet files, and Arrow files as the library `datasets` saves them."""

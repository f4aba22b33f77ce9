"""RecordIO files, as MXNet uses them."""

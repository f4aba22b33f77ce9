"""Storage to encoded samples: one format, one folder. `table` names all readers."""

"""Arrays to arrays: one concept, one file. `table` names all of them."""

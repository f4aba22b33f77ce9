"""TFRecord files and the examples in them."""

"""What operators of whole batches share: their arguments, and uploads of their results."""

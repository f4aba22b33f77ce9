"""Speed of pipelines: `graphs` makes one for a path, `measure` runs it, `turns` compares two."""

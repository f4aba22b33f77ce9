"""Parts of the plugin whose names may still change: `proxy`."""

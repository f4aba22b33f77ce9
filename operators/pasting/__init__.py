"""Images pasted on canvases."""

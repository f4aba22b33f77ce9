"""Images with regions cut out: rectangles (`erase`) and grids (`grid_mask`)."""

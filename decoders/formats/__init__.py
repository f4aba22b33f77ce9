"""What each image format says about itself before it is decoded: one module per format."""

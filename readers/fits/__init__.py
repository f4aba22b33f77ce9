"""Images in FITS files: `fn.experimental.readers.fits`."""

"""Images in FITS files.

    header        the cards of a header, and the values that describe an image
    image         where an image lies in its file, and how its numbers are made (`FitsImage`)
    hdus          the way through a file, from one header to the next
    tiles         images that are compressed tile by tile, decoded by Astropy

Format: https://fits.gsfc.nasa.gov/fits_standard.html, version 4.0. A file is a sequence of HDUs: a
header of cards, 80 bytes each, and data. Headers and data fill whole blocks of 2880 bytes.
"""

"""FITS files for tests, written by their definition."""

BLOCK = 2880
BITPIX = {"u1": 8, "i2": 16, "i4": 32, "i8": 64, "f4": -32, "f8": -64}


def card(key, value):
    """Return a card; bytes are written as they are, texts in quotes."""
    if isinstance(value, bool):
        value = b"T" if value else b"F"
    text = f"'{value:<8}'" if isinstance(value, str) else value
    text = text.decode() if isinstance(text, bytes) else f"{text!s:>20}"
    return f"{key:<8}= {text:>20}".ljust(80)


def header(cards):
    data = "".join([*(card(*each) for each in cards), "END".ljust(80)]).encode()
    return data.ljust(-(-len(data) // BLOCK) * BLOCK)


def padded(data):
    return data.ljust(-(-len(data) // BLOCK) * BLOCK, b"\0")


def described(array):
    if array is None:
        return [("BITPIX", 8), ("NAXIS", 0)]
    axes = [(f"NAXIS{i + 1}", n) for i, n in enumerate(array.shape[::-1])]
    return [("BITPIX", BITPIX[array.dtype.str[1:]]), ("NAXIS", array.ndim), *axes]


def hdu(array, *more, primary=False):
    """Return an HDU with an array of stored numbers, or an empty one."""
    first = ("SIMPLE", True) if primary else ("XTENSION", "IMAGE")
    counts = [] if primary else [("PCOUNT", 0), ("GCOUNT", 1)]
    data = b"" if array is None else array.astype(array.dtype.newbyteorder(">")).tobytes()
    return header([first, *described(array), *counts, *more]) + padded(data)


def table(rows, width):
    """Return an HDU with a table, which is no image."""
    cards = [("XTENSION", "BINTABLE"), ("BITPIX", 8), ("NAXIS", 2), ("NAXIS1", width)]
    counts = [("NAXIS2", rows), ("PCOUNT", 7), ("GCOUNT", 1), ("TFIELDS", 0)]
    return header([*cards, *counts]) + padded(bytes(rows * width + 7))


def fits(*arrays):
    """Return a file with an empty primary HDU, and an image for each array."""
    return hdu(None, primary=True) + b"".join(map(hdu, arrays))

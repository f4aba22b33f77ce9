"""Small data sets with boxes, laid out as their own documentation has them."""

from __future__ import annotations

import cv2
import numpy as np

CSV_HEAD = (
    "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf,"
    "IsDepiction,IsInside\n"
)


def put(root, files):
    """Write texts, and images of a size: `(height, width)`."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, tuple):
            path.write_bytes(image(*content))
        else:
            path.write_text(content)
    return root


def image(height, width):
    """Return a JPEG image."""
    return cv2.imencode(".jpg", np.full((height, width, 3), 128, np.uint8))[1].tobytes()


def voc_object(name, box, **more):
    """Return the XML of an object."""
    corners = zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
    inner = "".join(f"<{key}>{value}</{key}>" for key, value in corners)
    flags = "".join(f"<{key}>{value}</{key}>" for key, value in more.items())
    return f"<object><name>{name}</name>{flags}<bndbox>{inner}</bndbox></object>"


def voc_file(*objects, filename="other.jpg"):
    """Return the XML of an image."""
    return f"<annotation><filename>{filename}</filename>{''.join(objects)}</annotation>"

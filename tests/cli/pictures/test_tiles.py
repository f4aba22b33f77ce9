"""Tiles: pictures side by side, and the text below."""

from __future__ import annotations

import numpy as np

from penstock.cli.pictures.roles import Output, Role, with_roles
from penstock.cli.pictures.tiles import SampleText, captions, draw_tile, fitted, pictures_of

IMAGE = Output("image", [np.full((20, 30, 3), 200, np.uint8)], "HWC")


def tile(*outputs, known=None, side=64):
    outputs, known = with_roles(outputs), known or SampleText(3, "a/b.jpg")
    pictures = pictures_of(outputs, 0, known, side)
    height = side if pictures else 0
    return draw_tile(pictures, captions(outputs, 0, known), known, side=side, height=height)


def test_a_picture_fills_the_width_or_the_height():
    assert fitted(np.zeros((100, 50, 3), np.uint8), 20, 20).shape == (20, 10, 3)
    assert fitted(np.zeros((3, 4, 3), np.uint8), 20, 20).shape == (15, 20, 3)
    small = fitted(np.arange(12, dtype=np.uint8).reshape(2, 2, 3), 21, 21)
    assert small.shape == (20, 20, 3)
    assert (small[:10, :10] == [0, 1, 2]).all()


def test_captions_have_number_label_key_and_the_rest():
    outputs = with_roles(
        [
            IMAGE,
            Output("label", [np.array([1])]),
            Output("weight", [np.array([0.5, 2.25])]),
            Output("text", [np.frombuffer(b"a dog", np.uint8)]),
            Output("raw", [np.array([0, 255, 3], np.uint8)]),
        ]
    )
    lines = captions(outputs, 0, SampleText(12, "x/y.jpg", ("cat", "dog")))
    assert lines == [
        "#12  dog (1)",
        "x/y.jpg",
        "weight: [0.5 , 2.25]",
        "a dog",
        "raw: 3 bytes",
    ]


def test_labels_without_a_name_and_without_a_value():
    for array, text in ((np.int64(9), "label 9"), (np.empty(0, int), "no label")):
        output = Output("label", [array], role=Role.LABEL)
        assert captions([output], 0, SampleText(0, "", ("cat",))) == [f"#0  {text}"]


def test_the_tile_holds_all_pictures():
    one = tile(IMAGE)
    assert one.shape[1] == 64
    assert (one == 200).sum() >= 3 * 20 * 30  # the image, enlarged
    both = tile(IMAGE, Output("depth", [np.eye(8, dtype=np.float32)], "HW"))
    assert both.shape[1] == 64 + 6 + 64
    clip = tile(Output("clip", [np.zeros((16, 20, 30, 3), np.uint8)], "FHWC"))
    assert clip.shape[1] == 6 * (60 + 2)  # six frames, and lines between
    wave = tile(Output("sound", [np.zeros((4000, 1), np.float32)], "tc"))
    assert wave.shape[1] == 128


def test_every_role_is_drawn():
    noise = np.random.default_rng(1)
    for shape, layout in (((5, 6, 7), "DHW"), ((40, 50), "ft"), ((40, 50), "HW"), ((500,), "t")):
        drawn = tile(Output("x", [noise.normal(size=shape)], layout))
        assert len(np.unique(drawn[:64].reshape(-1, 3), axis=0)) > 1
    sound = Output("x", [np.ones((900, 2), np.float32)], "tc", Role.SOUND)
    assert tile(sound).shape[1] == 128


def test_masks_and_boxes_are_drawn_on_the_image():
    mask = Output("mask", [np.pad(np.ones((10, 10), np.int32), ((0, 10), (0, 20)))], "HW")
    boxes = Output("boxes", [np.array([[15, 10, 25, 18]], np.float32)])
    plain, with_both = tile(IMAGE), tile(IMAGE, mask, boxes, Output("labels", [np.array([2])]))
    assert plain.shape[1] == with_both.shape[1]
    changed = (plain != with_both[: plain.shape[0]]).any(axis=2)
    assert changed[11:20, 0:20].mean() > 0.7  # the mask
    assert changed.any(axis=1).nonzero()[0].max() > 40


def test_labels_of_boxes_have_the_names_of_their_classes():
    boxes = Output("boxes", [np.array([[2, 8, 28, 18]], np.float32)])
    numbers = Output("labels", [np.array([1])])
    drawn = [
        tile(IMAGE, boxes, numbers, known=SampleText(0, "", names))
        for names in ((), ("cat", "dog"), ("cat", ""))
    ]
    assert not np.array_equal(drawn[0], drawn[1])
    assert np.array_equal(drawn[0], drawn[2])


def test_a_damaged_file_and_an_empty_one():
    damaged = Output("image", [np.empty((0, 0, 0), np.uint8)], "HWC", Role.ENCODED, frozenset([0]))
    assert (tile(damaged)[:64, :64] == 70).mean() > 0.5
    missing = Output("image", [np.empty((0, 0, 0), np.uint8)], "HWC", Role.ENCODED)
    assert tile(missing).shape == (36, 64, 3)

"""`fn.readers.nemo_asr`: speech, decoded, and its transcripts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..decoders.audio.utterance import DecodeUtterance
from ..engine.graph.nodes import add_node
from ..engine.graph.operator import Array, register
from ..engine.graph.params import BOOL, FLOAT, INT, LEAVE_OUT, NO_EFFECT, REQUIRED, STR, STRS, param
from ..engine.order.block_permutation import Blocks
from ..readers.listing.path_patterns import expand_paths
from ..readers.nemo.audio import AudioBytes, AudioFiles, AudioMembers
from ..readers.nemo.entries import ORDERS, chosen_entries, read_manifests
from ..readers.nemo.source import NemoSource
from ..readers.reader import Reader
from ..readers.shar.audio import SharAudio, is_shar, open_shar
from ..signals.arguments import ANTIALIAS, DECODED_DTYPE, QUALITY

_DECODING = ("dtype", "downmix", "sample_rate", "quality", "antialias")


@register
class NemoAsrReader(Reader):
    """Reads and decodes the utterances that manifests of NVIDIA NeMo list.

    A manifest holds a JSON object a line, with "audio_filepath", and if known "offset" and
    "duration" in seconds, and "text". Paths are relative to the manifest; URLs are read, too. The
    window that offset and duration name is decoded alone. A duration that reaches beyond the file
    ends with the file. "channel_selector" selects channels: a number from 0 on, a list, or
    "average". A list of local files as "audio_filepath" holds the channels of one recording.

    All formats of `fn.decoders.audio` are read. An error names the file, the manifest and the line.

    >>> import json
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import soundfile
    >>> from penstock import Pipeline, fn
    >>> soundfile.write("a.wav", np.zeros(800), 16000)
    >>> entry = {"audio_filepath": "a.wav", "duration": 0.05, "text": "hello"}
    >>> _ = Path("speech.json").write_text(json.dumps(entry))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.readers.nemo_asr(manifest_filepaths=["speech.json"], read_text=True)
    ...     pipe.set_outputs(*output)
    ...     for output in pipe.run():
    ...         print(output.shape())
    [(800,)]
    [()]
    [(5,)]

    Outputs:
        the signal: of type `dtype`, shape (samples,), or (samples, channels) without `downmix`.
        with `read_sample_rate`, the rate of the file in Hz, before resampling: float32, a scalar.
        with `read_text`, the transcript in UTF-8, without a closing zero: uint8, shape (size,).
        with `read_idxs`, the number of the entry: int64, shape (1,). Entries are counted over all
            manifests in their order; those that `min_duration` and `max_duration` leave out do not
            count.

    Raises:
        SourceError: a manifest cannot be read or has a bad line, or an archive lacks an entry.
        OSError: an audio file cannot be read. DecodeError: it is damaged, or the offset lies behind
            its end (see `on_error` of the pipeline).
    """

    name = "readers.nemo_asr"
    aliases = ("nemo_asr_reader",)
    outputs = 4
    adds_operators = True

    manifest_filepaths = param(
        STRS,
        REQUIRED,
        "Paths or URLs of the manifests. Braces, NeMo's '_OP_0..7_CL_', globs and folders stand "
        "for the files that they name. Or the folders of Shar data sets of lhotse: their cuts are "
        "the entries, and their recordings the audio; a URL of such a folder ends with a slash.",
    )
    tarred_audio_filepaths = param(
        STRS,
        None,
        "Tar archives that hold the audio, as NeMo's tarred data sets do; patterns as for "
        '`manifest_filepaths`. An entry names a member; its "shard_id" is the number at the end '
        "of the archive's name, such as 7 for 'audio_7.tar'. If the names have no such numbers, it "
        "counts the archives from 0 on.",
    )
    dtype = DECODED_DTYPE
    downmix = param(BOOL, True, "Return the mean of all channels.")
    sample_rate = param(FLOAT, -1.0, "Rate to resample to, in Hz; 0 or less for the file's own.")
    quality = QUALITY
    antialias = ANTIALIAS
    min_duration = param(
        FLOAT, 0.0, "Leave out entries that are shorter, in seconds, or of unknown duration."
    )
    max_duration = param(FLOAT, 0.0, "Leave out entries that are longer, in seconds; 0 for none.")
    read_sample_rate = param(BOOL, True, "Whether to return the rates.")
    read_text = param(BOOL, True, "Whether to return the transcripts.")
    read_idxs = param(BOOL, False, "Whether to return the numbers of the entries.")
    order = param(
        STR,
        "manifest",
        "Order of the data set: that of the 'manifest', or by duration, 'ascending' or "
        "'descending'. `random_shuffle` permutes it.",
        choices=ORDERS,
    )
    bucket_size = param(
        INT,
        None,
        "With `random_shuffle`: sort by duration, and shuffle buckets of so many consecutive "
        "entries and the entries of each bucket. A batch then holds utterances of similar length. "
        "Take a multiple of the batch size.",
        minimum=1,
    )
    normalize_text = param(BOOL, False, NO_EFFECT, deprecated=LEAVE_OUT)

    def prepare(self) -> None:
        super().prepare()
        if self.bucket_size is None:
            return
        if self._blocks is not None or not (self.random_shuffle or self.shuffle_after_epoch):
            self.refuse(
                "bucket_size needs random_shuffle=True, and takes the place of shuffle_block"
            )
        self._blocks = Blocks(self.bucket_size, 1)
        self.reads_whole_blocks = False  # entries of one duration lie anywhere

    def wrap(self, outputs: tuple[object, ...]) -> Any:
        data, window, text, number = outputs
        arguments = {name: getattr(self, name) for name in _DECODING}
        signal, rate = add_node(DecodeUtterance, (data, window), arguments)
        wanted = [self.read_sample_rate, self.read_text, self.read_idxs]
        others = zip((rate, text, number), wanted, strict=True)
        chosen = (output for output, is_wanted in others if is_wanted)
        return super().wrap((signal, *chosen))

    def open_source(self) -> NemoSource:
        field = None
        are_shar = [is_shar(path, self.storage_options) for path in self.manifest_filepaths]
        if all(are_shar):
            if self.tarred_audio_filepaths is not None:
                self.refuse(
                    "a Shar data set has its audio itself: leave tarred_audio_filepaths out"
                )
            entries, field = open_shar(self.manifest_filepaths, self.storage_options, self.damages)
        elif any(are_shar):
            self.refuse("Shar data sets and manifests need readers of their own, in fn.readers.mix")
        else:
            paths = self._expanded(self.manifest_filepaths, "*.json")
            entries = read_manifests(paths, self.storage_options)
        kept = chosen_entries(
            entries,
            min_duration=self.min_duration,
            max_duration=self.max_duration,
            order="ascending" if self.bucket_size and self.order == "manifest" else self.order,
        )
        audio: AudioBytes
        if field is not None:
            starts = np.cumsum([0, *map(len, kept.manifests)])
            return NemoSource(kept, SharAudio(field, starts[kept.manifest] + kept.row))
        entries = kept
        if self.tarred_audio_filepaths is None:
            audio = AudioFiles(entries, self.storage_options)
        else:
            archives = self._expanded(self.tarred_audio_filepaths, "*.tar")
            audio = AudioMembers(entries, archives, self.storage_options, self.damages)
        return NemoSource(entries, audio)

    def placeholder(self) -> tuple[Array, ...]:
        empty = np.empty(0, np.uint8)
        return empty, np.zeros(3), empty, np.zeros(1, np.int64)

    def _expanded(self, paths: tuple[str, ...], in_folders: str) -> list[str]:
        """Return the files that paths stand for; NeMo writes braces as '_OP_' and '_CL_'."""
        plain = (path.replace("_OP_", "{").replace("_CL_", "}") for path in paths)
        return expand_paths(plain, in_folders, self.storage_options)

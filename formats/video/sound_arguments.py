"""The arguments of operators that decode the sound of videos, too."""

from __future__ import annotations

from typing import Any

from ...engine.graph.operator import Operator
from ...engine.graph.params import BOOL, FLOAT, param

_HIGHEST_RATE = 1e6
"""Hz. The time that resampling takes grows with the rate; hydrophones reach this rate."""


class SoundArguments(Operator):
    """Declares the arguments that say whether sound is an output, and in which form."""

    audio = param(
        BOOL,
        False,
        "Adds the clip's sound and the sound's rate as outputs. DALI has no such argument.",
    )
    audio_rate = param(
        FLOAT, 0.0, "Rate to resample the sound to, in Hz; 0 or less for the file's own."
    )
    audio_downmix = param(BOOL, False, "Return the mean of all channels of the sound.")

    def prepare(self) -> None:
        """Refuse arguments of a sound that is no output."""
        super().prepare()
        idle = sorted(self.given & {"audio_rate", "audio_downmix"})
        if idle and not self.audio:
            self.refuse(f"{' and '.join(idle)} without audio=True")
        if self.audio_rate > _HIGHEST_RATE:
            self.refuse(f"audio_rate is {self.audio_rate:g} Hz; the limit is {_HIGHEST_RATE:g} Hz")

    def sound_arguments(self) -> dict[str, Any]:
        """Return the arguments of `decode_span`."""
        return {"rate": self.audio_rate, "downmix": self.audio_downmix}

"""File formats that readers and decoders share.

npy    NumPy's `.npy`: the header, and the elements behind it
video/ frames of video files, through PyAV
nemo   manifests of NVIDIA NeMo: JSON lines, one utterance a line
"""

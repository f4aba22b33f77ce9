"""Utterances that manifests of NVIDIA NeMo list.

entries      the entries of several manifests: which are read, and in which order
audio        the bytes of an entry's file, from files or from archives
source       samples: bytes, window, transcript and number

`composite/nemo_asr.py` has the reader, which decodes the utterances.
"""

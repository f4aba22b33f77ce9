"""Utterances that manifests of NVIDIA NeMo list: `fn.readers.nemo_asr`.

entries      the entries of several manifests: which are read, and in which order
audio        the bytes of an entry's file, from files or from archives
source       samples: bytes, window, transcript and number
reader       `fn.readers.nemo_asr`
"""

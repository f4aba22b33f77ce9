"""Data sets of the Hugging Face Hub: `hf://[datasets/]user/name[@revision][/path]`.

names       the parts of such a name
repository  the commit and the files of a data set, as the Hub's API tells them
service     files of a data set as objects: they lie behind HTTP, and the URL names the commit
folders     folders of a data set

The library huggingface_hub finds endpoint and token, and speaks the API. Bytes come through
`readers/remote`, as those of all URLs. Scripts in a data set are never run.
"""

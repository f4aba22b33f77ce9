# Set-up is `make demo` and `make test`; both make the virtual environment they need.
PYTHON ?= python3
VENV ?= .venv
# PyTorch is large. `make test TORCH=` leaves it out and skips its tests; on Linux the plain
# name takes CUDA builds of several gigabytes where no CPU build of this version is found.
TORCH ?= torch==2.13.0
DALI ?= nvidia-dali-cuda130==2.4.0
PIP = $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check
RUN = $(VENV)/bin/python
WORKERS ?= 2

.PHONY: demo test lint stubs parity bench gpu-test gpu-bench clean

$(VENV)/base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/dev: $(VENV)/base
	$(PIP) -e '.[dev]' $(TORCH)
	mkdir -p $(VENV)/checked && ln -sfn "$(CURDIR)" $(VENV)/checked/penstock
	touch $@

$(VENV)/dali: $(VENV)/dev
	$(PIP) $(DALI)
	touch $@

demo: $(VENV)/base
	$(RUN) examples/demo.py

lint: $(VENV)/dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	cd $(VENV)/checked && ../bin/mypy --config-file "$(CURDIR)/pyproject.toml" -p penstock
	$(RUN) docs/generate.py --check

test: lint
	$(VENV)/bin/pytest -n $(WORKERS) --ignore=tests/parity

stubs: $(VENV)/dev
	$(RUN) docs/generate.py

parity: $(VENV)/dali
	$(VENV)/bin/pytest -n $(WORKERS) tests/parity

bench: $(VENV)/dali
	$(RUN) benchmarks/training_cpu.py
	$(RUN) benchmarks/scaling_cpu.py
	$(RUN) benchmarks/readers_records.py
	$(RUN) benchmarks/readers_tfrecord.py
	$(RUN) benchmarks/readers_lmdb.py
	$(RUN) benchmarks/readers_numpy.py

# On a machine with an NVIDIA GPU; `make gpu-test CUDA=cuda12` where the driver speaks CUDA 12.
CUDA ?= cuda13
$(VENV)/$(CUDA): $(VENV)/dev
	$(PIP) -e '.[$(CUDA)]'
	touch $@

gpu-test: $(VENV)/$(CUDA)
	$(RUN) benchmarks/gpu.py tests

gpu-bench: $(VENV)/$(CUDA) $(VENV)/dali
	$(RUN) benchmarks/gpu.py training operators numpy cpu

clean:
	rm -rf $(VENV) fixtures/data build dist *.egg-info

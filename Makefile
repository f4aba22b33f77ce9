# `make demo` and `make test` make the virtual environment that they need.
PYTHON ?= python3
VENV ?= .venv
# PyTorch is large. On Linux, if pip finds no CPU build of this version, it installs a CUDA build of
# several gigabytes.
TORCH ?= torch==2.13.0
# In a folder of its own: its compiled operators do not load beside a CPU build, and what finds it
# among the packages, such as Lightning, fails to import it.
TORCHVISION ?= torchvision==0.28.0
DALI ?= nvidia-dali-cuda130==2.4.0
# Python compiles modules when they are imported: of PyTorch, Ray and others, most never are.
PIP = $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile
RUN = $(VENV)/bin/python
# Installs the many packages of developers in a tenth of pip's time.
UV = $(VENV)/bin/uv
# More than CI's cores, because some tests wait for processes and servers.
WORKERS ?= 3

# Where Python keeps no bytecode, each child process of a test compiles all that it imports: twice
# the time of its start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo docs gallery test test-quick test-frameworks peers lint stubs parity lowest pythons azure stress corpus bench gpu-test gpu-sanitize gpu-bench clean

$(VENV)/base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/dev: $(VENV)/base
	@echo "The tools of developers are installed: PyTorch and others, half a minute or more"
	$(PIP) 'uv>=0.8,<1' $(TORCH)
	$(UV) pip install --quiet --python $(VENV) -e . --group dev
	$(PIP) --no-deps --upgrade --target $(VENV)/torchvision $(TORCHVISION)
	touch $@

$(VENV)/dali: $(VENV)/dev
	@echo "DALI is installed"
	$(PIP) $(DALI)
	touch $@

demo: $(VENV)/base
	$(RUN) examples/demo.py

gallery: $(VENV)/base
	$(RUN) examples/gallery.py

# Two processes; one if these do not start in time on a busy machine, which is exit status 2.
export MYPY_CACHE_DIR ?= $(VENV)/mypy
MYPY = $(VENV)/bin/mypy
lint: $(VENV)/dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	@echo "Types are checked, a minute or two"
	$(MYPY) -n 2 || { test $$? = 2 && $(MYPY); }
	$(RUN) docs/generate.py --check

test: lint
	@echo "The suite takes some ten minutes of two cores; the first dots come after half a minute or more"
	$(VENV)/bin/pytest -n $(WORKERS) --ignore=tests/parity

# The first test of each file that is not marked as slow.
test-quick: $(VENV)/dev
	@echo "The first fast test of each file: two minutes"
	$(VENV)/bin/pytest -n 2 --ignore=tests/parity --quick

# TensorFlow, JAX, Paddle and Triton's clients have virtual environments of their own;
# `make test-frameworks FRAMEWORKS="jax paddle"` tries some of them.
FRAMEWORKS ?=
test-frameworks: $(VENV)/dev
	$(RUN) tests/frameworks.py --venvs $(VENV)/frameworks $(FRAMEWORKS)

# Other loaders, each in an environment of its own: tests and benchmarks run what is there. Energon
# and streaming want other releases of NumPy and transformers than the tools of developers.
PEERS ?= energon lhotse webdataset datasets litdata mds grain
peers: $(addprefix $(VENV)/peers/,$(PEERS))
$(VENV)/peers/energon: LIBRARIES = 'megatron-energon>=7,<8'
$(VENV)/peers/lhotse: LIBRARIES = 'lhotse>=1.33,<2' 'soundfile>=0.13,<1' urllib3 $(TORCH)
$(VENV)/peers/webdataset: LIBRARIES = 'webdataset>=1,<2'
$(VENV)/peers/datasets: LIBRARIES = 'datasets>=5,<6' aiohttp pillow requests
$(VENV)/peers/litdata: LIBRARIES = 'litdata>=0.2.70,<0.3'
$(VENV)/peers/grain: LIBRARIES = 'grain>=0.2.18,<0.3'
$(VENV)/peers/mds: LIBRARIES = 'mosaicml-streaming>=0.13,<0.14' 'numpy<2.2' 'transformers<5'
$(VENV)/peers/%: | $(VENV)/dev
	$(UV) venv --quiet --clear --python $(PYTHON) $@
	$(UV) pip install --quiet --python $@ $(LIBRARIES)

docs: $(VENV)/dev
	$(RUN) docs/site/build.py

stubs: $(VENV)/dev
	$(RUN) docs/generate.py

parity: $(VENV)/dali
	$(VENV)/bin/pytest -n $(WORKERS) tests/parity

# Random attacks; `make stress MINUTES=60 SEED=7`. `make stress SOAK=10` drops pipelines for ten minutes.
MINUTES ?= 5
SEED ?= 0
stress: $(VENV)/dev
	$(if $(SOAK),$(RUN) -m penstock.tests.stress.drops --minutes $(SOAK) --seed $(SEED),\
		$(RUN) -m penstock.tests.stress --minutes $(MINUTES) --seed $(SEED))

# Each reader and decoder once: with the lowest releases that pyproject.toml admits, and with the
# newest ones on each release of Python that this machine has.
EXTRAS = audio,coco,fits,hub,images,lmdb,lz4,parquet,remote,tfrecord,video,yaml,zstd
SMOKE = --noconftest -q --import-mode=importlib tests/smoke
lowest: $(VENV)/dev
	$(UV) venv --quiet --clear --python $(PYTHON) $(VENV)/lowest
	$(UV) pip install --quiet --python $(VENV)/lowest --resolution lowest-direct \
		-e '.[$(EXTRAS)]' 'pytest>=9' 'pytest-timeout>=2.3'
	$(VENV)/lowest/bin/pytest $(SMOKE)

# Builds the packages; installs them as the pages say, and the wheel with all extras.
PYTHONS ?= 3.11 3.12 3.13 3.14
pythons: $(VENV)/dev
	$(RUN) tests/packages.py --extras $(EXTRAS) --builds $(VENV)/packages $(PYTHONS)

# Azure's protocol, spoken by Microsoft's own emulator, which is a program of Node.js.
azure: $(VENV)/dev
	npm install --silent --no-audit --no-fund --prefix $(VENV)/azurite azurite@3
	PATH="$(abspath $(VENV))/azurite/node_modules/.bin:$$PATH" \
		$(VENV)/bin/pytest -q tests/readers/remote/test_azure.py

# Other projects' files against other libraries; `make corpus CORPUS=folder SAMPLE=100`.
SAMPLE ?= 1000000
corpus: $(VENV)/dev
	$(RUN) -m penstock.tests.corpus "$(CORPUS)" --sample $(SAMPLE)

bench: $(VENV)/dali
	$(RUN) benchmarks/table.py

# For a machine with an NVIDIA GPU; `make gpu-test CUDA=cuda12` if the driver supports CUDA 12 only.
CUDA ?= cuda13
$(VENV)/$(CUDA): $(VENV)/dev
	$(PIP) -e '.[$(CUDA)]'
	touch $@

gpu-test: $(VENV)/$(CUDA)
	$(RUN) benchmarks/gpu.py tests

gpu-sanitize: $(VENV)/$(CUDA)
	$(RUN) benchmarks/gpu.py memcheck racecheck initcheck memcheck-jpeg racecheck-jpeg initcheck-jpeg

gpu-bench: $(VENV)/$(CUDA) $(VENV)/dali
	$(RUN) benchmarks/gpu.py beside training loop starts jpeg cache ssd operators augmentation video numpy \
		audio cpu

clean:
	rm -rf $(VENV) fixtures/data build dist *.egg-info

"""The navigation, by parent page. The build fails if a page is not in the navigation, or if an
entry has no page."""

BELOW = {
    "README": """
```{toctree}
:hidden:
:caption: Begin

Start in 5 minutes </docs/start>
The first hour </docs/first-hour>
Install </docs/install>
Set up an editor </docs/editors>
```

```{toctree}
:hidden:
:caption: Tasks

Train a classifier </docs/tutorial-classifier>
Port a script </docs/tutorial-port>
Fine-tune a published model </docs/tutorial-finetune>
Use exported and scripted models </docs/tutorial-exported>
Serve a model </docs/serving>
Run and serve a language model </docs/language-models>
Find a leak </docs/leaks>
Debug a wrong loss </docs/tutorial-loss>
Speed up a slow program </docs/performance>
Train on several machines </docs/distributed>
Deploy </docs/deploy>
Test a model </docs/testing>
```

```{toctree}
:hidden:
:caption: Reference

Porting from PyTorch </docs/porting>
Tensors </docs/tensors>
Ownership and memory </docs/ownership>
Memory </docs/memory>
The vet companion </docs/vet>
Modules </docs/modules>
Training </docs/training>
Functional transforms </docs/functional>
CPU graphs </docs/graphs>
Data </docs/data>
Image transforms </docs/transforms>
Models for images </docs/vision>
Files </docs/files>
Goroutines </docs/concurrency>
Security </docs/security>
CUDA </docs/cuda>
Profiler </docs/profiler>
Errors </docs/errors>
Troubleshooting </docs/troubleshooting>
Packages </docs/packages>
Platforms </docs/platforms>
Compatibility </docs/compatibility>
```

```{toctree}
:hidden:
:caption: See it run

Notebooks </docs/notebooks>
Examples </examples/README>
```

```{toctree}
:hidden:
:caption: For contributors

Architecture </docs/architecture>
Conventions </docs/conventions>
Conformance </docs/conformance>
Benchmarks </docs/benchmarks>
Twins </docs/twins>
Claims </docs/claims>
Timed commands </docs/timed-commands>
Coverage </docs/coverage>
Contributing </CONTRIBUTING>
Changes </CHANGELOG>
Report a vulnerability </SECURITY>
Code of conduct </CODE_OF_CONDUCT>
```
""",
    "docs/notebooks": """
```{toctree}
:hidden:
:glob:

/notebooks/*
```
""",
    "examples/README": """
```{toctree}
:hidden:
:glob:

/examples/*/README
```
""",
    "examples/pytorch/README": """
```{toctree}
:hidden:
:glob:

/examples/pytorch/*/README
```
""",
}


def add(app, docname, source):
    source[0] += BELOW.get(docname, "")


def setup(app):
    app.connect("source-read", add)

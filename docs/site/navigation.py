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
Porting from PyTorch </docs/porting>
```

```{toctree}
:hidden:
:caption: Use

Tensors </docs/tensors>
Ownership and memory </docs/ownership>
Memory </docs/memory>
Leak hunting </docs/leaks>
The vet companion </docs/vet>
Modules </docs/modules>
Training </docs/training>
Functional transforms </docs/functional>
CPU graphs </docs/graphs>
Data </docs/data>
Image transforms </docs/transforms>
Models for images </docs/vision>
Files </docs/files>
Serving </docs/serving>
Goroutines </docs/concurrency>
Deploying </docs/deploy>
Security </docs/security>
Multiple processes </docs/distributed>
CUDA </docs/cuda>
Performance </docs/performance>
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

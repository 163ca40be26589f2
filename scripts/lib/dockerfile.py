"""Makes the file systems of a Dockerfile's stages without Docker.

    dockerfile.py DOCKERFILE CONTEXT OUT RUN STAGE...

Follows the instructions up to the named stages, and no further. The file system of a stage is
written to OUT/STAGE. The file system of a base image must be in OUT under the image's name, with _
for characters that are not letters, digits, dots or dashes. RUN is a command that runs a shell
command line as root. Its arguments are the file system's folder, the working directory, the command
line, and environment variables. Only the instructions that the Dockerfile uses are supported; any
other instruction is an error.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from dockerfile_parse import DockerfileParser

dockerfile, context, out, run = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
wanted = sys.argv[5:]


def folder(image):
    return out / re.sub(r"[^A-Za-z0-9.-]", "_", image)


def copy(source, target):
    """Copies a file or the contents of a folder, as COPY does."""
    target.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", f"{source}/." if source.is_dir() else str(source), str(target)], check=True)


class Stage:
    def __init__(self, base, name, before):
        self.root, self.env, self.dir, self.meta = out / name, {}, "/", {}
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir()
        if base in before:
            self.env, self.dir = dict(before[base].env), before[base].dir
            copy(before[base].root, self.root)
        elif base != "scratch":
            copy(folder(base), self.root)

    def path(self, target):
        return self.root / os.path.join(self.dir, target).lstrip("/")

    def follow(self, instruction, value, before):
        if instruction in ("ENV", "ARG"):
            for assignment in shlex.split(value):
                key, _, text = assignment.partition("=")
                self.env[key] = text
        elif instruction == "WORKDIR":
            self.dir = value
            self.path(".").mkdir(parents=True, exist_ok=True)
        elif instruction == "COPY":
            words = value.split()
            source = context
            if words[0].startswith("--from="):
                source = before[words.pop(0).removeprefix("--from=")].root
            copy(source / words[0].lstrip("/"), self.path(words[1]))
        elif instruction == "RUN":
            env = [f"{k}={v}" for k, v in self.env.items()]
            subprocess.run([run, str(self.root), self.dir, value, *env], check=True)
        elif instruction in ("CMD", "ENTRYPOINT"):
            self.meta[instruction] = json.loads(value)
        elif instruction == "USER":
            self.meta[instruction] = value
        else:
            sys.exit(f"{dockerfile}: {instruction} is not known here")


stages, stage, name = {}, None, ""
for line in DockerfileParser(path=dockerfile, cache_content=True).structure:
    if line["instruction"] == "COMMENT":
        continue
    if line["instruction"] == "FROM":
        if set(wanted) <= set(stages):
            break
        base, _, name = line["value"].split()
        stage = stages[name] = Stage(base, name, stages)
        continue
    print(f"-- {name}: {line['instruction']} {line['value'][:100]}", flush=True)
    stage.follow(line["instruction"], line["value"], stages)
    (out / f"{name}.json").write_text(json.dumps({**stage.meta, "ENV": stage.env, "WORKDIR": stage.dir}))

"""A kernel to execute cells in, and their outputs as text."""

import asyncio
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent
KERNEL = "gotorch"
# A cell or a start that takes more seconds than this hangs, even on a busy machine.
HANG = 1800


def client(nb):
    return NotebookClient(
        nb,
        kernel_name=KERNEL,
        timeout=HANG,
        startup_timeout=HANG,
        record_timing=False,
        resources={"metadata": {"path": str(HERE)}},
    )


def joined(outputs):
    """Returns outputs with the consecutive pieces of a stream joined."""
    whole = []
    for o in outputs:
        if o.output_type == "stream" and whole and whole[-1].output_type == "stream" and whole[-1].name == o.name:
            whole[-1].text += o.text
        else:
            whole.append(o)
    return whole


def text(o):
    return o.get("text") or o.get("evalue") or o.get("data", {}).get("text/plain", "")


def outputs(sources, interrupted=None):
    """Returns the text that each cell gives in a new kernel. The cells after an error run too. The
    cell with index interrupted is interrupted once it has printed something."""
    nb = nbformat.v4.new_notebook()
    nb.cells = [nbformat.v4.new_code_cell(s) for s in sources]
    c = client(nb)
    c.allow_errors = True

    async def interrupt(cell):
        while not cell.outputs:
            await asyncio.sleep(0.05)
        await c.km.interrupt_kernel()

    async def execute():
        async with c.async_setup_kernel():
            for i, cell in enumerate(nb.cells):
                task = asyncio.ensure_future(interrupt(cell)) if i == interrupted else None
                await c.async_execute_cell(cell, i)
                if task:
                    await task

    asyncio.run(execute())
    return [" ".join(map(text, joined(cell.outputs))) for cell in nb.cells]

package harness

import (
	"os"
	"path/filepath"
)

// languageModels measures SmolLM2 with 135 million parameters: the pass over a prompt of 64
// tokens, a new token, the time from the start of the program to the first one, and resident
// memory. It compares with transformers on the same weights in float32. The rows .gguf
// compare the GGUF file as it is, with 4 to 8 bits for each weight, with Python's float32,
// to which transformers converts such a file.
func languageModels() Group {
	g := Group{MaxRounds: 3}
	for _, id := range []string{"lm_ours", "lm_gguf", "lm_python"} {
		g.Measures = append(g.Measures, Measure{ID: id, By: id, Program: true})
	}
	for _, m := range []struct{ id, row string }{{"lm_ours", ""}, {"lm_gguf", ".gguf"}} {
		for _, value := range []string{"decode", "prefill", "start", "peak"} {
			unit := "ns"
			if value == "peak" {
				unit = "bytes"
			}
			id := "lm." + value + m.row + ".python"
			g.Rows = append(g.Rows, Row{id, unit, named(m.id, value), named("lm_python", value), "transformers"})
		}
	}
	return g
}

// smolLM2 returns the GGUF file of SmolLM2.
func (b *Toolbox) smolLM2() (string, error) {
	dir, err := b.output(b.path("scripts/get_smollm2.sh"))
	return filepath.Join(dir, "SmolLM2-135M-Instruct.Q4_1.gguf"), err
}

// smolLM2Folder returns a folder with the model of the file in float32, which Python writes
// the first time.
func (b *Toolbox) smolLM2Folder() (string, error) {
	dir := filepath.Join(b.build, "smollm2")
	if _, err := os.Stat(filepath.Join(dir, "tokenizer.json")); err == nil {
		return dir, nil
	}
	file, err := b.smolLM2()
	if err != nil {
		return "", err
	}
	python, err := b.Python()
	if err != nil {
		return "", err
	}
	_, err = b.output(python, b.path("transformers/internal/bench/reference.py"), "--write", file, "--model", dir)
	return dir, err
}

func prepareLMOurs(b *Toolbox, model func() (string, error)) (command, error) {
	path, err := model()
	if err != nil {
		return nil, err
	}
	binary, err := b.goBuild("lm", "transformers", "./internal/bench")
	return program(nil, binary, "-model", path), err
}

func prepareLMPython(b *Toolbox) (command, error) {
	dir, err := b.smolLM2Folder()
	if err != nil {
		return nil, err
	}
	python, err := b.Python()
	return program(nil, python, b.path("transformers/internal/bench/reference.py"), "--model", dir), err
}

// smolLM2 returns the arguments of a twin that name the model.
func smolLM2(b *Toolbox) (both, own []string, err error) {
	path, err := b.smolLM2()
	return []string{"--model", path}, nil, err
}

package harness

// embed measures how long all-MiniLM-L6-v2 takes to convert 32 sentences to vectors, one
// at a time and in one batch, including the tokenizer. It compares examples/embed with
// its reference.py, which uses plain PyTorch and Hugging Face's tokenizers.
func embed() Group {
	return Group{
		Measures: []Measure{
			{ID: "embed_ours", By: "embed_ours", Program: true},
			{ID: "embed_python", By: "embed_python", Program: true},
		},
		Rows: []Row{
			{"embed.b1.python", "ns", named("embed_ours", "b1"), named("embed_python", "b1"), pythonName},
			{"embed.b32.python", "ns", named("embed_ours", "b32"), named("embed_python", "b32"), pythonName},
		},
	}
}

// embedArgs returns the arguments for main.go and reference.py.
func (b *Toolbox) embedArgs() ([]string, error) {
	folder, err := b.output(b.path("scripts/get_minilm.sh"))
	return []string{
		"--model", folder, "--bench", "9", "--threads", "2",
		b.path("examples/embed/testdata/sentences.txt"),
	}, err
}

func prepareEmbedOurs(b *Toolbox) (command, error) {
	args, err := b.embedArgs()
	if err != nil {
		return nil, err
	}
	binary, err := b.goBuild("embed", "examples", "./embed")
	return program(nil, binary, args...), err
}

func prepareEmbedPython(b *Toolbox) (command, error) {
	args, err := b.embedArgs()
	if err != nil {
		return nil, err
	}
	python, err := b.Python()
	return program(nil, python, append([]string{b.path("examples/embed/reference.py")}, args...)...), err
}

package harness

import "path/filepath"

// gpt compares a step of examples/gpt with its reference.py, in float32: four layers of
// 128 features, twelve texts of 64 characters. It also compares the peak native bytes
// during training, which are counted in a separate run for Python.
func gpt() Group {
	return Group{
		MaxRounds: 5,
		Measures: []Measure{
			{ID: "gpt_ours", By: "gpt_ours", Program: true},
			{ID: "gpt_python", By: "gpt_python", Program: true},
			{ID: "gpt_counted", By: "gpt_python_counted", Program: true},
		},
		Rows: []Row{
			{"gpt.step.python", "ns", named("gpt_ours", "step"), named("gpt_python", "step"), pythonName},
			{
				"gpt.peak.python", "bytes", named("gpt_ours", "peak_bytes"), named("gpt_counted", "peak_bytes"),
				pythonName,
			},
		},
	}
}

// gptArgs returns the arguments for main.go and reference.py.
func (b *Toolbox) gptArgs() ([]string, error) {
	text, err := b.godoc()
	return []string{"--text", text, "--steps", "200", "--threads", "2", "--bench"}, err
}

// godoc returns the path of the text that both programs train on. main.go writes it.
func (b *Toolbox) godoc() (string, error) {
	binary, err := b.goBuild("gpt", "examples", "./gpt")
	if err != nil {
		return "", err
	}
	text := filepath.Join(b.build, "godoc.txt")
	_, err = b.output(binary, "-save", text)
	return text, err
}

func prepareGPTOurs(b *Toolbox) (command, error) {
	args, err := b.gptArgs()
	if err != nil {
		return nil, err
	}
	binary, err := b.goBuild("gpt", "examples", "./gpt")
	return program(nil, binary, args...), err
}

func prepareGPTPython(b *Toolbox) (command, error) {
	args, err := b.gptArgs()
	if err != nil {
		return nil, err
	}
	python, err := b.Python()
	return program(nil, python, append([]string{b.path("examples/gpt/reference.py")}, args...)...), err
}

func prepareGPTCounted(b *Toolbox) (command, error) {
	args, err := b.gptArgs()
	if err != nil {
		return nil, err
	}
	return b.counted("examples/gpt/reference.py", args)
}

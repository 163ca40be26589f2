package harness

import "path/filepath"

// plain measures programs that change no settings. It compares them with the same
// programs in Python, and with themselves on a locked OS thread. One small program is
// also compared with itself on one thread.
func plain() Group {
	g := Group{MaxRounds: 5}
	for _, p := range []struct{ name, row string }{
		{"mlp", "mlp.step"},
		{"mlp256", "mlp256.step"},
		{"cnn", "cnn.step"},
		{"lstm", "lstm.step"},
		{"readme", "readme.epoch"},
		{"encoder", "encoder.infer"},
	} {
		locked, python := p.name+".locked", p.name+".python"
		g.Measures = append(g.Measures,
			Measure{ID: p.name, By: "plain_ours", Program: true, Args: []string{p.name}},
			Measure{ID: locked, By: "plain_ours", Program: true, Args: []string{p.name, "locked"}},
			Measure{ID: python, By: "plain_python", Program: true, Args: []string{p.name}})
		g.Rows = append(g.Rows,
			Row{"default." + p.row + ".python", "ns", named(p.name, "ns"), named(python, "ns"), pythonName},
			Row{
				"default." + p.row + ".locked", "ns", named(p.name, "ns"), named(locked, "ns"),
				"the same on a locked thread",
			})
	}
	g.Measures = append(g.Measures, Measure{
		ID: "mlp.one", By: "plain_ours", Program: true,
		Args: []string{"mlp", "one"},
	})
	g.Rows = append(g.Rows, Row{
		"default.one.mlp", "ns", named("mlp", "ns"), named("mlp.one", "ns"),
		"the same with one thread",
	})
	return g
}

// plainPrograms compares examples that change no settings with their Python versions.
func plainPrograms() Group {
	g := Group{MaxRounds: 3}
	for _, p := range []struct {
		name, row, unit, key string
	}{
		{"gpt", "gpt.step", "ns", "step"},
		{"resnet18", "resnet18.infer", "ns", "infer"},
		{"fmnist", "fmnist.epoch", "s", "epoch_s"},
		{"reinforce", "reinforce.episode", "ns", "step"},
		{"serve", "serve.throughput", "ns", "ns"},
	} {
		ours, python := "plain_"+p.name+"_ours", "plain_"+p.name+"_python"
		g.Measures = append(g.Measures, Measure{ID: ours, By: ours, Program: true},
			Measure{ID: python, By: python, Program: true})
		g.Rows = append(g.Rows, Row{
			"default." + p.row + ".python", p.unit, named(ours, p.key), named(python, p.key),
			pythonName,
		})
	}
	return g
}

// plainContestants returns the functions that prepare each program of plainPrograms, in
// Go and in Python. Both get the same arguments.
func plainContestants() map[string]func(*Toolbox) (command, error) {
	all := map[string]func(*Toolbox) (command, error){
		"plain_ours": func(b *Toolbox) (command, error) {
			binary, err := b.goBuild("plain", ".", "./bench/cmd/plain")
			return program(nil, binary), err
		},
		"plain_python": func(b *Toolbox) (command, error) {
			python, err := b.Python()
			return program(nil, python, b.path("bench/python/plain.py")), err
		},
		"plain_serve_ours":   func(b *Toolbox) (command, error) { return prepareServeOurs(b, "mlp") },
		"plain_serve_python": preparePlainServePython,
	}
	for _, p := range []struct {
		name, module, folder string
		// The time is read from the losses file that the program writes.
		timed bool
		args  func(b *Toolbox) ([]string, error)
	}{
		{"gpt", "examples", "gpt", false, func(b *Toolbox) ([]string, error) {
			text, err := b.godoc()
			return []string{"--text", text, "--steps", "200", "--bench"}, err
		}},
		{"resnet18", "vision", "internal/bench", false, func(*Toolbox) ([]string, error) {
			return []string{"--images", "1"}, nil
		}},
		{"fmnist", "examples", "fashionmnist", false, func(b *Toolbox) ([]string, error) {
			folder, err := b.output(b.path("scripts/get_fashion_mnist.sh"))
			return []string{"--epochs", "1", "--bench", "--data", folder}, err
		}},
		{
			"reinforce", "examples", "pytorch/reinforcement_learning", true,
			func(*Toolbox) ([]string, error) { return []string{"--steps", "60"}, nil },
		},
	} {
		start := func(b *Toolbox, program []string, err error) (command, error) {
			if err != nil {
				return nil, err
			}
			args, err := p.args(b)
			if err != nil {
				return nil, err
			}
			if p.timed {
				watch, err := b.goBuild("steptime", ".", "./bench/cmd/steptime")
				if err != nil {
					return nil, err
				}
				program = append([]string{watch}, program...)
			}
			return started(append(program, args...)), nil
		}
		all["plain_"+p.name+"_ours"] = func(b *Toolbox) (command, error) {
			binary, err := b.goBuild("plain_"+p.name, p.module, "./"+p.folder)
			return start(b, []string{binary}, err)
		}
		all["plain_"+p.name+"_python"] = func(b *Toolbox) (command, error) {
			python, err := b.Python()
			return start(b, []string{python, b.path(filepath.Join(p.module, p.folder, "reference.py"))}, err)
		}
	}
	return all
}

// started converts a command line to a command.
func started(line []string) command { return program(nil, line[0], line[1:]...) }

// preparePlainServePython prepares the Python server with its default settings, in one
// process.
func preparePlainServePython(b *Toolbox) (command, error) {
	python, err := b.Python()
	if err != nil {
		return nil, err
	}
	return prepareServe(b, "mlp", python, b.path("examples/serve/reference.py"), "--model", "mlp", "--port", "PORT")
}

package harness

import "slices"

// serving compares requests to examples/serve with requests to its reference.py, the same
// server in Python. 16 clients on this machine each wait for an answer before they send
// the next request.
func serving() Group {
	g := Group{}
	for _, m := range []struct{ id, row string }{{"mlp", ""}, {"cnn", ".cnn"}} {
		ours, python := "serve_"+m.id+"_ours", "serve_"+m.id+"_python"
		g.Measures = append(g.Measures,
			Measure{ID: ours, By: ours, Program: true},
			Measure{ID: python, By: python, Program: true})
		const peer = "FastAPI on uvicorn"
		g.Rows = append(g.Rows,
			Row{"serve.throughput" + m.row + ".python", "ns", named(ours, "ns"), named(python, "ns"), peer},
			Row{"serve.latency.p99" + m.row + ".python", "ns", named(ours, "p99"), named(python, "p99"), peer})
	}
	return g
}

// serveRequests contains the arguments for each model. They set the number of requests so
// that a run takes a few seconds.
var serveRequests = map[string][]string{
	"mlp": {"-model", "mlp", "-requests", "12000", "-warmup", "2000"},
	"cnn": {"-model", "cnn", "-requests", "4000", "-warmup", "500"},
}

func prepareServeOurs(b *Toolbox, model string) (command, error) {
	server, err := b.goBuild("serve", "examples", "./serve")
	if err != nil {
		return nil, err
	}
	return prepareServe(b, model, server, "-model", model, "-addr", "HOST:PORT")
}

// prepareServePython prepares the Python server. The server gets two workers with one
// thread each, the fastest of the tested settings on two cores.
func prepareServePython(b *Toolbox, model string) (command, error) {
	python, err := b.Python()
	if err != nil {
		return nil, err
	}
	return prepareServe(b, model, python, b.path("examples/serve/reference.py"),
		"--model", model, "--port", "PORT", "--workers", "2", "--threads", "1")
}

// prepareServe prepares the load generator, which starts and ends the server.
func prepareServe(b *Toolbox, model string, server ...string) (command, error) {
	load, err := b.goBuild("serve_load", "examples", "./serve/load")
	return program(nil, load, slices.Concat(serveRequests[model], []string{"--"}, server)...), err
}

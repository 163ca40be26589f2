package profiler

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

type metadata struct{ key, value string }

// AddMetadata adds a string to trace files that are written later. It may be called
// before Start. A later value replaces an earlier one with the same key. Follows
// profile.add_metadata.
func (p *Profile) AddMetadata(key, value string) {
	if err := p.checkMade("AddMetadata"); err != nil {
		panic(err)
	}
	text, _ := json.Marshal(value) // never fails for a string
	p.addMetadata(key, string(text))
}

// AddMetadataJSON is like AddMetadata, but value is JSON. For invalid JSON, the error is
// a *torch.Error of kind ErrValue. Follows profile.add_metadata_json.
func (p *Profile) AddMetadataJSON(key, value string) error {
	if err := p.checkMade("AddMetadataJSON"); err != nil {
		return err
	}
	if !json.Valid([]byte(value)) {
		return torch.NewError("profiler.Profile.AddMetadataJSON", torch.ErrValue, "value",
			fmt.Sprintf("expected JSON, got %q", value))
	}
	p.addMetadata(key, value)
	return nil
}

func (p *Profile) addMetadata(key, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.metadata {
		if p.metadata[i].key == key {
			p.metadata[i].value = value
			return
		}
	}
	p.metadata = append(p.metadata, metadata{key, value})
}

// ExportChromeTrace writes the last cycle to a file in Kineto's format, for
// chrome://tracing, https://ui.perfetto.dev and TensorBoard's plugin. The file is
// compressed if its name ends in .gz. An existing file is replaced atomically. Each
// goroutine and each of libtorch's own threads has a row. ExportChromeTrace panics as
// Events does. Follows profile.export_chrome_trace.
func (p *Profile) ExportChromeTrace(path string) error {
	p.results("ExportChromeTrace")
	return p.export("ExportChromeTrace", path, func(w io.Writer) error { return p.writeTrace(w, path) })
}

// export writes a file, compressed if its name ends in .gz.
func (p *Profile) export(method, path string, write func(w io.Writer) error) error {
	err := wholefile.Write(path, func(w io.Writer) error {
		if !strings.HasSuffix(path, ".gz") {
			return write(w)
		}
		z := gzip.NewWriter(w)
		b := bufio.NewWriterSize(z, 1<<16)
		if err := write(b); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
		return z.Close()
	})
	return torch.WrapError("profiler.Profile."+method, err)
}

// A HandlerOption is an option of [TensorBoardTraceHandler]: [WorkerName] or [UseGzip].
//
//gotorch:options WorkerName UseGzip
type HandlerOption interface{ handlerOption() }

// WorkerName is the prefix of file names; worker_name in Python. The default, "", uses
// the host name and the process ID.
type WorkerName string

// UseGzip compresses the files; use_gzip in Python. The default is false.
type UseGzip bool

// TensorBoardTraceHandler returns a function for OnTraceReady. It writes the trace of
// each cycle to a separate file in a directory, which it creates if needed.
// TensorBoard's profiler plugin finds the files by their names. Follows
// torch.profiler.tensorboard_trace_handler.
func TensorBoardTraceHandler(dir string, opts ...HandlerOption) OnTraceReady {
	worker, ext := "", ""
	for _, o := range opts {
		switch o := o.(type) {
		case WorkerName:
			worker = string(o)
		case UseGzip:
			ext = ""
			if o {
				ext = ".gz"
			}
		default:
			panic(torch.BadOption("profiler.TensorBoardTraceHandler", o))
		}
	}
	return func(p *Profile) error {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return torch.WrapError("profiler.TensorBoardTraceHandler", err)
		}
		name := worker
		if name == "" {
			host, err := os.Hostname()
			if err != nil {
				host = "localhost"
			}
			name = fmt.Sprintf("%s_%d", host, os.Getpid())
		}
		return p.ExportChromeTrace(filepath.Join(dir,
			fmt.Sprintf("%s.%d.pt.trace.json%s", name, time.Now().UnixNano(), ext)))
	}
}

// ExportStacks writes the stacks of the last cycle with their times to a file for
// flamegraph.pl and speedscope. Each event is a line: its frames, outermost first, and a
// time in microseconds. metric is SortBySelfCPUTimeTotal, the default for "", or
// SortBySelfDeviceTimeTotal. For any other metric or a profile without WithStack, the
// error is a *torch.Error of kind ErrValue. It panics as Events does. Follows
// profile.export_stacks.
func (p *Profile) ExportStacks(path string, metric SortBy) error {
	l := p.results("ExportStacks")
	var value func(e *Event) time.Duration
	switch SortBy(strings.ReplaceAll(string(metric), "cuda", "device")) {
	case SortByNothing, SortBySelfCPUTimeTotal:
		value = (*Event).SelfCPUTimeTotal
	case SortBySelfDeviceTimeTotal:
		value = (*Event).SelfDeviceTimeTotal
	default:
		return torch.NewError("profiler.Profile.ExportStacks", torch.ErrValue, "metric",
			fmt.Sprintf("expected self_cpu_time_total or self_device_time_total, got %q", string(metric)))
	}
	if !p.config.stack {
		return torch.NewError("profiler.Profile.ExportStacks", torch.ErrValue, "receiver",
			"expected a profile made with WithStack(true)")
	}
	plain := strings.NewReplacer(" ", "_", ";", "_", "\t", "_", "\n", "_")
	return p.export("ExportStacks", path, func(w io.Writer) error {
		for _, e := range l.Events {
			stack, us := e.Stack(), value(e).Microseconds()
			if len(stack) == 0 || us <= 0 {
				continue
			}
			for i := len(stack) - 1; i >= 0; i-- {
				sep := ";"
				if i == 0 {
					sep = " "
				}
				if _, err := io.WriteString(w, plain.Replace(stack[i])+sep); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintln(w, us); err != nil {
				return err
			}
		}
		return nil
	})
}

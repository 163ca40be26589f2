package aoti

import (
	"archive/zip"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/aoti"
	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/torch"
)

// Model is a compiled model. It is safe for use by several goroutines.
//
// Close unloads the model; otherwise the garbage collector does. Results of Run stay valid.
type Model struct {
	path     string
	metadata map[string]string
	info     *native.Info
	shapes   declared
	inputs   []Input // from the package; nil if the package does not describe them
	given    []Input // from the Inputs option
	device   torch.Device
	single   bool
	slots    chan struct{}

	mu      sync.RWMutex // read lock: calls; write lock: changing constants, and Close
	raw     native.Model // 0 once closed
	missing map[string]bool
	dir     string // "" once the directory is no longer needed
	object  named.Object
	cleanup runtime.Cleanup
}

// Load loads an AOTInductor package and runs the initializers of its library. The file
// may be removed after Load returns. Load extracts the library to the directory for
// temporary files (TMPDIR), which must permit executing files. For a CPU model it removes
// the extracted files before it returns. For other devices, a directory stays until the
// model is closed.
//
// It returns a [*torch.FileError]:
//
//   - ErrFormat or ErrTruncated for damaged files;
//   - ErrNotFound if the package has no model with the given name;
//   - ErrUnsupported for exported programs that are not compiled, and for libraries that
//     this libtorch cannot load;
//   - ErrUnsupported for packages compiled for a different kind of machine, or for
//     processor extensions that this machine lacks;
//   - ErrUnsupported for packages that do not describe their inputs, unless [Inputs] is
//     given.
//
// It returns a *torch.Error of kind ErrDevice for a [Device] that is unavailable or whose
// type is not the model's, and of kind ErrValue for a wrong number of [Inputs]. Other
// invalid options panic. Follows torch._inductor.aoti_load_package.
func Load(path string, opts ...LoadOption) (*Model, error) {
	l, err := readLoading(opts)
	if err != nil {
		return nil, err
	}
	a, err := openArchive(path)
	if err != nil {
		return nil, err
	}
	defer a.close()
	files, err := a.find(l.name)
	if err != nil {
		return nil, err
	}
	m := &Model{path: path, given: l.inputs, single: l.single, slots: make(chan struct{}, l.runners)}
	parts, err := m.read(a, files)
	if err != nil {
		return nil, err
	}
	if err := checkMachine(path, m.metadata); err != nil {
		return nil, fileerr.At(err, a.Where(parts.metadata))
	}
	if err := m.place(l.device); err != nil {
		return nil, fileerr.At(err, a.Where(parts.metadata))
	}
	dir, err := os.MkdirTemp("", "gotorch-aoti-")
	if err != nil {
		return nil, because(path, nil, err, "the package cannot be extracted")
	}
	if err := m.load(a, slices.Concat(files, a.shared), dir, parts, l); err != nil {
		_ = os.RemoveAll(dir) // only the first error is returned
		return nil, fileerr.At(err, a.Where(parts.library))
	}
	if m.device.IsCPU() {
		_ = os.RemoveAll(dir) // the model works even if the directory remains
		dir = ""
	}
	m.dir = dir
	m.object = named.Made(named.Models)
	m.cleanup = runtime.AddCleanup(m, unload, loaded{m.raw, dir, m.object})
	return m, nil
}

// parts are the files of a model. blob is the name of the file with the constants.
type parts struct {
	library, metadata *zip.File
	blob              string
}

// read finds the files of a model by their name suffixes. It also reads the package's
// description of the model.
func (m *Model) read(a *archive, files []*zip.File) (p parts, err error) {
	var texts []*zip.File
	for _, f := range files {
		switch base := path.Base(f.Name); path.Ext(base) {
		case ".so":
			if p.library != nil {
				return p, a.Fail(f, torch.ErrFormat, "the package has two libraries, %.80q and %.80q",
					path.Base(p.library.Name), base)
			}
			p.library = f
		case ".blob":
			p.blob = base
		case ".cpp":
			texts = append(texts, f)
		}
	}
	if p.library == nil {
		return p, a.Fail(files[0], torch.ErrUnsupported,
			"the package has no library; was the model compiled with aot_inductor.package_cpp_only?")
	}
	meta := strings.TrimSuffix(path.Base(p.library.Name), ".so") + "_metadata.json"
	at := slices.IndexFunc(files, func(f *zip.File) bool { return path.Base(f.Name) == meta })
	if at < 0 {
		return p, a.Fail(p.library, torch.ErrFormat, "the package has no metadata %.80q for its library", meta)
	}
	p.metadata = files[at]
	text, err := a.Read(p.metadata)
	if err != nil {
		return p, err
	}
	if m.metadata, err = readMetadata(m.path, text); err != nil {
		return p, fileerr.At(err, a.Where(p.metadata))
	}
	for _, f := range texts {
		text, err := a.Read(f)
		if err != nil {
			return p, err
		}
		if s := readSource(string(text)); len(s.inputs) > 0 || len(s.shapes) > 0 {
			m.shapes = s
		}
	}
	return p, nil
}

func (m *Model) place(wanted torch.Device) error {
	kind := m.metadata[keyDevice]
	device, err := torch.ParseDevice(kind)
	if err != nil || kind == "" || device.Type() != kind {
		return fail(m.path, torch.ErrFormat, "the metadata has the unknown device %.80q", kind)
	}
	if wanted != 0 && wanted.Type() != kind {
		return torch.NewError("aoti.Load", torch.ErrDevice, "Device",
			"the model is compiled for "+kind+", got device "+wanted.String())
	}
	if wanted != 0 {
		device = wanted
	}
	if device.IsCUDA() && device.Index() < 0 {
		device = torch.CUDA.At(0)
	}
	if err := device.Check(); err != nil {
		return because(m.path, torch.ErrUnsupported, err, "compiled for "+kind)
	}
	m.device = device
	return nil
}

// load extracts the files into a directory and loads the library.
func (m *Model) load(a *archive, files []*zip.File, dir string, p parts, l loading) error {
	if err := a.extract(files, dir); err != nil {
		return err
	}
	library := filepath.Join(dir, path.Base(p.library.Name))
	if err := prepare(m.path, library); err != nil {
		return err
	}
	blob := p.blob
	if blob != "" {
		blob = filepath.Join(dir, blob)
	}
	device := m.device.String()
	err := torch.Try(func() {
		r := torch.BeginRaw("aoti.Load")
		raw, st := native.Load(library, device, dir, blob, l.runners, l.single)
		m.raw = raw
		r.Status(st)
	})
	if err != nil {
		return because(m.path, torch.ErrUnsupported, err, "its library cannot be loaded")
	}
	if err := m.describe(); err != nil {
		native.Free(m.raw)
		return err
	}
	return nil
}

// describe reads the library's own description of the model, and checks that its number of
// inputs matches the package's description or the Inputs option.
func (m *Model) describe() error {
	err := torch.Try(func() {
		r := torch.BeginRaw("aoti.Load")
		info, st := native.Describe(m.raw)
		m.info = info
		r.Status(st)
	})
	if err != nil {
		return because(m.path, torch.ErrUnsupported, err, "its library")
	}
	m.missing = map[string]bool{}
	for _, c := range m.info.Constants {
		if c.Missing && !c.Folded && c.Bytes > 0 {
			m.missing[c.Name] = true
		}
	}
	if n := len(m.shapes.inputs); m.shapes.known && n == m.info.Inputs || m.info.Inputs == 0 {
		m.inputs = m.shapes.inputs
		m.shapes.known = true
	}
	if len(m.given) > 0 && len(m.given) != m.info.Inputs {
		return torch.NewError("aoti.Load", torch.ErrValue, "Inputs", counted(len(m.given), m.info.Inputs))
	}
	if !m.shapes.known && len(m.given) == 0 {
		return fail(m.path, torch.ErrUnsupported, "the package does not describe its %d inputs, and compiled code "+
			"does not check them; describe them with the aoti.Inputs option", m.info.Inputs)
	}
	return nil
}

// loaded holds everything that unload must free.
type loaded struct {
	raw    native.Model
	dir    string
	object named.Object
}

func unload(l loaded) {
	native.Free(l.raw)
	if l.dir != "" {
		_ = os.RemoveAll(l.dir) // no caller could handle an error
	}
	l.object.Gone()
}

// Close waits for running calls and unloads the model. Calls after Close panic with
// ErrClosed, and so do calls that are still waiting for a runner. Close always returns nil.
// Closing twice, or closing nil, does nothing.
func (m *Model) Close() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.raw != 0 {
		m.cleanup.Stop()
		unload(loaded{m.raw, m.dir, m.object})
		m.raw = 0
	}
	return nil
}

// Metadata returns a copy of the package's metadata. It contains entries such as
// AOTI_DEVICE_KEY and AOTI_CPU_ISA, and the values given as aot_inductor.metadata at
// compile time. Follows get_metadata.
func (m *Model) Metadata() map[string]string {
	m.must("aoti.Model.Metadata")
	return maps.Clone(m.metadata)
}

// Inputs returns the package's description of the model's inputs, in the order of Run's
// arguments. It returns nil if the package has no description; Load then requires the
// [Inputs] option.
func (m *Model) Inputs() []Input {
	m.must("aoti.Model.Inputs")
	return clone(m.inputs)
}

// CallSpec describes how the tensors that Run takes and returns form the arguments and
// results of the Python module. in and out are Python's pytree specs in JSON. Follows
// get_call_spec.
func (m *Model) CallSpec() (in, out string) {
	m.must("aoti.Model.CallSpec")
	return m.info.InSpec, m.info.OutSpec
}

// String returns a string such as "Model(model.pt2, device=cpu, runners=2)".
func (m *Model) String() string {
	m.must("aoti.Model.String")
	s := fmt.Sprintf("Model(%s, device=%s, runners=%d", m.path, m.device, cap(m.slots))
	if m.single {
		s += ", single_threaded"
	}
	return s + ")"
}

// must panics unless Load returned m.
func (m *Model) must(op string) {
	if m == nil || m.slots == nil {
		panic(torch.NewError(op, torch.ErrNil, "m", "was not returned by Load"))
	}
}

package aoti

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// These are keys of the metadata that AOTInductor writes.
const (
	keyDevice   = "AOTI_DEVICE_KEY" // "cpu" or "cuda"
	keyPlatform = "AOTI_PLATFORM"   // sys.platform
	keyMachine  = "AOTI_MACHINE"    // platform.machine()
	keyISA      = "AOTI_CPU_ISA"    // the kernels' vector extensions, such as "AVX512 AVX512_VNNI"
)

// readMetadata parses a package's metadata. Like Python's loader, it requires all values to be strings.
func readMetadata(path string, text []byte) (map[string]string, error) {
	var m map[string]string
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, because(path, torch.ErrFormat, err, "the metadata")
	}
	return m, nil
}

// machines maps Python's machine names to values of GOARCH.
var machines = map[string]string{"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}

// flags maps PyTorch's names of processor extensions to Linux's names, where they differ.
var flags = map[string]string{"avx512": "avx512f", "neon": "asimd", "sve256": "sve", "invalid_vec_isa": ""}

// checkMachine checks that a package was compiled for this machine, because an
// unsupported instruction would end the process.
func checkMachine(path string, metadata map[string]string) error {
	if p := metadata[keyPlatform]; p != "" && p != runtime.GOOS {
		return fail(path, torch.ErrUnsupported, "the model was compiled for %.80q, but this machine runs %q", p,
			runtime.GOOS)
	}
	if m := metadata[keyMachine]; m != "" && machines[m] != runtime.GOARCH {
		return fail(path, torch.ErrUnsupported,
			"the model was compiled for machines of type %.80q, but this machine is %s", m, runtime.GOARCH)
	}
	isa := strings.Fields(strings.ToLower(metadata[keyISA]))
	if len(isa) == 0 {
		return nil
	}
	has, err := vectors()
	if err != nil {
		return because(path, nil, err, "this processor's features are unknown")
	}
	if lacks := lacking(isa, has); len(lacks) > 0 {
		return fail(path, torch.ErrUnsupported,
			"the model was compiled for processors with %.80q, but this one lacks %.80q; "+
				"compile the model here, or with ATEN_CPU_CAPABILITY=avx2 or default",
			metadata[keyISA], strings.Join(lacks, " "))
	}
	return nil
}

// lacking returns the extensions that a package needs and the processor does not have.
func lacking(isa, has []string) []string {
	var lacks []string
	for _, name := range isa {
		flag, renamed := flags[name]
		if !renamed {
			flag = name
		}
		if flag != "" && !slices.Contains(has, flag) {
			lacks = append(lacks, name)
		}
	}
	return lacks
}

package aoti

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
)

// The keys of a package's metadata that AOTInductor writes.
const (
	keyDevice   = "AOTI_DEVICE_KEY" // "cpu" or "cuda"
	keyPlatform = "AOTI_PLATFORM"   // sys.platform
	keyMachine  = "AOTI_MACHINE"    // platform.machine()
	keyISA      = "AOTI_CPU_ISA"    // the vectors that the kernels use, such as "AVX512 AVX512_VNNI"
)

// readMetadata reads the texts of a package. What Python's loader takes for granted, that
// all values are texts, is so in whatever Python wrote.
func readMetadata(path string, text []byte) (map[string]string, error) {
	var m map[string]string
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, because(path, ErrFormat, err, "the metadata")
	}
	return m, nil
}

// machines are Python's names of what Go calls GOARCH.
var machines = map[string]string{"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}

// flags are Linux's names of those of PyTorch, where they differ.
var flags = map[string]string{"avx512": "avx512f", "neon": "asimd", "sve256": "sve", "invalid_vec_isa": ""}

// checkMachine compares what a package was compiled for with this machine. An instruction
// that the processor lacks would end the process.
func checkMachine(path string, metadata map[string]string) error {
	if p := metadata[keyPlatform]; p != "" && p != runtime.GOOS {
		return fail(path, ErrUnsupported, "compiled for %.80q, and this is %q", p, runtime.GOOS)
	}
	if m := metadata[keyMachine]; m != "" && machines[m] != runtime.GOARCH {
		return fail(path, ErrUnsupported, "compiled for machines of type %.80q, and this is %s", m, runtime.GOARCH)
	}
	isa := strings.Fields(strings.ToLower(metadata[keyISA]))
	if len(isa) == 0 {
		return nil
	}
	has, err := vectors()
	if err != nil {
		return because(path, nil, err, "what this processor can do is not known")
	}
	if lacks := lacking(isa, has); len(lacks) > 0 {
		return fail(path, ErrUnsupported, "compiled for processors with %.80q, and this one lacks %.80q: compile it here, or with ATEN_CPU_CAPABILITY=avx2 or default", metadata[keyISA], strings.Join(lacks, " "))
	}
	return nil
}

// lacking returns the vectors of a package that are not among Linux's names of what a
// processor has.
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

// Package fixing applies the fixes suggested by the checks to the files of a program.
package fixing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// edit replaces the bytes from Start to End of a file.
type edit struct {
	File  string `json:"filename"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// fix is a change that a check suggests for a report. It may have several edits.
type fix struct {
	Message string `json:"message"`
	Edits   []edit `json:"edits"`
}

// report is one problem that a check has found.
type report struct {
	Check   string `json:"-"`
	Posn    string `json:"posn"`
	Message string `json:"message"`
	Fixes   []fix  `json:"suggested_fixes"`
}

// vet runs the checks of tool on the packages in args, through go vet, and returns their
// reports.
func vet(dir, tool string, args []string) ([]report, error) {
	cmd := exec.Command("go", append([]string{"vet", "-vettool=" + tool, "-json"}, args...)...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	failed := cmd.Run()
	// Some versions of go vet print the reports to stdout, others to stderr. Lines with #
	// name packages and are not JSON.
	var text strings.Builder
	for line := range strings.Lines(out.String() + "\n" + errs.String()) {
		if !strings.HasPrefix(line, "#") {
			text.WriteString(line)
		}
	}
	reports, err := parse(text.String())
	if err != nil || failed != nil {
		return nil, fmt.Errorf("go vet: %s", strings.TrimSpace(errs.String()+out.String()))
	}
	return reports, nil
}

// parse reads the output of go vet -json. The output has a JSON object for each package,
// which maps each check to its list of reports.
func parse(text string) ([]report, error) {
	var all []report
	seen := map[string]bool{} // go vet reports on a file twice: for its package, and for that package with its tests
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var packages map[string]map[string]json.RawMessage
		if err := dec.Decode(&packages); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		for _, checks := range packages {
			for check, raw := range checks {
				var reports []report
				if json.Unmarshal(raw, &reports) != nil {
					return nil, fmt.Errorf("%s: %s", check, raw)
				}
				for _, r := range reports {
					r.Check = check
					if key := r.Posn + check + r.Message; !seen[key] {
						seen[key] = true
						all = append(all, r)
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b report) int { return strings.Compare(a.Posn, b.Posn) })
	return all, nil
}

// short returns path relative to dir, if that is shorter.
func short(dir, name string) string {
	if dir == "" {
		dir, _ = os.Getwd()
	}
	if rel, err := filepath.Rel(dir, name); err == nil && len(rel) < len(name) {
		return rel
	}
	return name
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// sbatchOptions lists the options of Slurm's sbatch that a job file may use.
var sbatchOptions = strings.Fields(`account array chdir constraint cpus-per-gpu cpus-per-task dependency error exclusive
	export gpus gpus-per-node gpus-per-task gres job-name licenses mail-type mail-user mem mem-per-cpu mem-per-gpu
	nodelist nodes no-requeue ntasks ntasks-per-node open-mode output partition qos requeue reservation signal time`)

// srunOptions are options of srun.
var srunOptions = strings.Fields(
	`cpu-bind cpus-per-task gpus-per-task kill-on-bad-exit label mpi ntasks nodes output unbuffered`)

// checkFlags checks that the program has all flags in words, which is a split command
// line.
func checkFlags(t *testing.T, words []string) {
	t.Helper()
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			assert.Contains(t, string(source), `"`+strings.TrimPrefix(w, "-")+`"`, "a flag of the program")
		}
	}
}

func TestSlurm(t *testing.T) {
	text, err := os.ReadFile("slurm.sbatch")
	require.NoError(t, err)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	out, err := exec.Command(bash, "-n", "slurm.sbatch").CombinedOutput()
	require.NoError(t, err, "%s", out)
	ended := false // sbatch reads options up to the first command
	options := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if o, ok := strings.CutPrefix(line, "#SBATCH "); ok {
			assert.False(t, ended, "%s: after a command sbatch does not see it", line)
			name, value, _ := strings.Cut(strings.TrimPrefix(o, "--"), "=")
			assert.Contains(t, sbatchOptions, name)
			options[name] = value
		} else if line != "" && !strings.HasPrefix(line, "#") {
			ended = true
		}
	}
	for _, name := range []string{"nodes", "ntasks-per-node", "time"} {
		assert.NotEmpty(t, options[name], name)
	}
	assert.Regexp(t, `^\d+:\d\d:\d\d$`, options["time"])
	// The file uses only variables that Slurm or the file itself sets.
	for _, m := range regexp.MustCompile(`\$\{?([A-Za-z_]+)`).FindAllStringSubmatch(string(text), -1) {
		assert.True(t, strings.HasPrefix(m[1], "SLURM_") || slices.Contains([]string{"DATA", "OUT"}, m[1]) ||
			regexp.MustCompile(`(?m)^(export )?`+m[1]+`=`).Match(text), "%s is not set", m[1])
	}
	run := regexp.MustCompile(`(?s)\nsrun (.*?)\./distributed (.*)$`).FindSubmatch(text)
	require.NotNil(t, run)
	for _, o := range strings.Fields(string(run[1])) {
		name, _, _ := strings.Cut(strings.TrimPrefix(o, "--"), "=")
		assert.Contains(t, srunOptions, name)
	}
	if options["cpus-per-task"] != "" {
		assert.Contains(t, string(run[1]), `--cpus-per-task="$SLURM_CPUS_PER_TASK"`,
			"srun does not take it from the job")
	}
	checkFlags(t, strings.Fields(strings.ReplaceAll(string(run[2]), "\\\n", " ")))
}

// pyTorchJob contains the fields of Kubeflow's PyTorchJob that the job file uses.
type pyTorchJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Replicas map[string]struct {
			Replicas      int
			RestartPolicy string `yaml:"restartPolicy"`
			Template      struct{ Spec podSpec }
		} `yaml:"pytorchReplicaSpecs"`
	}
}

type podSpec struct {
	Containers []struct {
		Name, Image   string
		Command, Args []string
		Resources     struct{ Requests, Limits map[string]string }
		VolumeMounts  []struct {
			Name     string
			ReadOnly bool   `yaml:"readOnly"`
			Path     string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name  string
		Claim struct {
			Name string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
	}
}

func TestKubernetes(t *testing.T) {
	text, err := os.ReadFile("kubernetes.yaml")
	require.NoError(t, err)
	var job pyTorchJob
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true) // a misspelled key is an error
	require.NoError(t, d.Decode(&job))
	assert.Equal(t, "kubeflow.org/v1", job.APIVersion)
	assert.Equal(t, "PyTorchJob", job.Kind)
	assert.Regexp(t, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, job.Metadata.Name)
	require.Len(t, job.Spec.Replicas, 2)
	assert.Equal(t, 1, job.Spec.Replicas["Master"].Replicas, "rank 0 is the master")
	assert.Positive(t, job.Spec.Replicas["Worker"].Replicas)
	for name, r := range job.Spec.Replicas {
		assert.Contains(t, []string{"OnFailure", "ExitCode", "Never", "Always"}, r.RestartPolicy)
		pod := r.Template.Spec
		require.Len(t, pod.Containers, 1)
		c := pod.Containers[0]
		assert.Equal(t, "pytorch", c.Name, "%s: the operator sets the variables of the container of this name", name)
		assert.NotEmpty(t, c.Image)
		assert.NotEmpty(t, c.Command)
		checkFlags(t, c.Args)
		claims := map[string]bool{}
		for _, v := range pod.Volumes {
			assert.NotEmpty(t, v.Claim.Name)
			claims[v.Name] = true
		}
		for _, m := range c.VolumeMounts {
			assert.True(t, claims[m.Name], m.Name)
			assert.True(t, strings.HasPrefix(m.Path, "/"))
		}
		for kind := range c.Resources.Limits {
			assert.Contains(t, c.Resources.Requests, kind)
		}
	}
}

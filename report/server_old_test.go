package report

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ratebench/attack/record"
)

// TestOlderDocuments: what they do not hold is not known, and never 0.
func TestOlderDocuments(t *testing.T) {
	newer := regexp.MustCompile(`"(server_cpu_cores|cpu_user_s|cpu_system_s)":|"(server|hosts)": \[\],`)
	var older []string
	for line := range strings.Lines(steadyText(t)) {
		if strings.Contains(line, `"client_cpu_cores"`) {
			line = strings.Replace(line, ",\n", "\n", 1)
		}
		if !newer.MatchString(line) {
			older = append(older, line)
		}
	}
	d, err := Read("older", strings.NewReader(strings.Join(older, "")))
	if err != nil {
		t.Fatal(err)
	}
	if d.Client.CPUUser.Defined() || d.Client.CPUSystem.Defined() || d.Intervals[0].ServerCPU.Defined() || d.Server != nil {
		t.Errorf("client %+v, interval %+v", d.Client, d.Intervals[0])
	}
	if got := httperf(t, d); !strings.Contains(got, "CPU time [s]: user 0.36 system 0.00 (user 3.0% system 0.0% total 3.0%)") {
		t.Errorf("want all CPU time as user in\n%s", got)
	}
	if got := httperf(t, loadRun(t, "steady")); !strings.Contains(got, "CPU time [s]: user 0.12 system 0.24 (user 1.0% system 2.0% total 3.0%)") {
		t.Errorf("want user and system apart in\n%s", got)
	}
}

// TestServerColumns: a row of sums for every run, empty where one is not known.
func TestServerColumns(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"steady":      {"server_names": "", "server_cpu_s": "", "server_listen_drops": ""},
		"local-nginx": {"server_names": "nginx", "server_cpu_cores": "0.062", "server_cpu_s_per_reply": "0.00031", "server_listen_drops": "0"},
		"two-hosts":   {"server_names": "nginx on bench@front:2222; system.slice/php-fpm.service on bench@back", "server_listen_drops": "120"},
		"no-proc":     {"server_names": "bench@tiny", "server_cpu_s": "", "server_cpu_s_per_reply_precision": ""},
	} {
		var b bytes.Buffer
		if err := WriteSummaryCSV(&b, loadRun(t, name)); err != nil {
			t.Fatal(err)
		}
		row := readCSV(t, b.String())[0]
		for column, cell := range want {
			if !sameCell(row[column], cell) {
				t.Errorf("%s: %s %q, want %q", name, column, row[column], cell)
			}
		}
	}
}

// sameCell compares texts, and numbers but for the rounding of their last digits.
func sameCell(got, want string) bool {
	a, err := strconv.ParseFloat(got, 64)
	b, err2 := strconv.ParseFloat(want, 64)
	if err != nil || err2 != nil {
		return got == want
	}
	return agree(record.Number(a), record.Number(b))
}

func TestSameCell(t *testing.T) {
	if !sameCell("", "") || !sameCell("a", "a") || !sameCell("0.30999", "0.31") || sameCell("", "0") || sameCell("0.3", "0.31") {
		t.Error("sameCell takes different cells for the same")
	}
}

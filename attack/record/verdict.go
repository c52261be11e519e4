package record

// Status is how far a run can be trusted.
type Status string

const (
	Valid   Status = "valid"
	Suspect Status = "suspect" // something to know before relying on the figures
	Invalid Status = "invalid" // the client was the limit: the figures speak of it, not of the server
)

// Finding is one doubt about a run, as data.
type Finding struct {
	Code   string `json:"code"` // stable word for programs
	Text   string `json:"text"` // one line for people
	Value  Number `json:"value"`
	Limit  Number `json:"limit"`  // what Value was held against; null where there is no figure
	Status Status `json:"status"` // what the finding makes of the run
}

// Verdict is the judgement of a run and its reasons, the gravest first.
type Verdict struct {
	Status   Status    `json:"status"`
	Findings []Finding `json:"findings"`
}

// Add adds a finding and lowers the status to the finding's if that is graver.
func (v *Verdict) Add(f Finding) {
	if grave(f.Status) > grave(v.Status) {
		v.Status = f.Status
	}
	at := len(v.Findings)
	for at > 0 && grave(v.Findings[at-1].Status) < grave(f.Status) {
		at--
	}
	v.Findings = append(v.Findings[:at], append([]Finding{f}, v.Findings[at:]...)...)
}

func grave(s Status) int {
	switch s {
	case Invalid:
		return 2
	case Suspect:
		return 1
	}
	return 0
}

package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ratebench/report"
)

// TrialsSchema names the form and version of a Head.
const TrialsSchema = "ratebench.trials/v1"

// headFile holds the Head. Its lock keeps a folder to one process.
const headFile = "suite.json"

// Head says of which comparison a folder has the trials.
type Head struct {
	Schema    string    `json:"schema"` // TrialsSchema
	Suite     string    `json:"suite"`  // its name, for people
	SHA256    string    `json:"sha256"` // of the suite's file
	Quick     bool      `json:"quick"`
	AA        bool      `json:"aa"`
	Repeat    int       `json:"repeat"`
	StartedAt time.Time `json:"started_at"`
	Version   string    `json:"version"` // of the ratebench that began it
}

// Head is the suite's, without time and version.
func (s *Suite) Head() Head {
	return Head{Schema: TrialsSchema, Suite: s.Name, SHA256: s.SHA256, Quick: s.IsQuick, AA: s.IsAA, Repeat: s.Repeat}
}

// Folder keeps trials: a file for each, whole or not at all. One process at a time
// has it.
type Folder struct {
	Head Head // of the comparison's beginning, however often it was resumed

	dir   string
	suite *Suite
	lock  *os.File
}

// OpenFolder makes the folder dir or, to resume, goes on with what is there. head is
// what a new one gets; one of another comparison is refused.
func OpenFolder(dir string, s *Suite, head Head, resume bool) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, headFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, suite: s, lock: lock}
	if err := f.open(head, resume); err != nil {
		lock.Close()
		return nil, fmt.Errorf("%q: %w", dir, err)
	}
	return f, nil
}

func (f *Folder) open(head Head, resume bool) error {
	if err := lockFile(f.lock); err != nil {
		return errors.New("another ratebench is at work in it")
	}
	text, err := io.ReadAll(io.LimitReader(f.lock, maxFile))
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(text)) == 0 { // new, or its maker was killed at once
		if found, _ := filepath.Glob(filepath.Join(f.dir, "[0-9]*.json")); len(found) > 0 {
			return fmt.Errorf("holds trials but no %s that says of what they are", headFile)
		}
		return f.begin(head)
	}
	if err := json.Unmarshal(text, &f.Head); err != nil || f.Head.Schema != TrialsSchema {
		return fmt.Errorf("%s is no beginning of trials", headFile)
	}
	if !resume {
		return errors.New("holds trials already: --resume goes on with them, --trials DIR takes another folder")
	}
	return errors.Join(f.sweep(), f.Head.other(head))
}

func (f *Folder) begin(head Head) error {
	f.Head = head
	text, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		return err
	}
	if _, err := f.lock.WriteAt(append(text, '\n'), 0); err != nil {
		return err
	}
	return f.lock.Sync()
}

// other says why the trials of h cannot be continued as those of wanted.
func (h Head) other(wanted Head) error {
	switch {
	case h.SHA256 != wanted.SHA256:
		return fmt.Errorf("holds the trials of another suite, or of this one before it was changed (SHA-256 %.12s, not %.12s)", h.SHA256, wanted.SHA256)
	case h.Quick != wanted.Quick:
		return fmt.Errorf("its trials were made %s --quick", with(h.Quick))
	case h.AA != wanted.AA:
		return fmt.Errorf("its trials were made %s --aa", with(h.AA))
	case h.Repeat != wanted.Repeat:
		return fmt.Errorf("its trials are of %d blocks, not %d: how many is fixed in advance", h.Repeat, wanted.Repeat)
	}
	return nil
}

func with(yes bool) string {
	if yes {
		return "with"
	}
	return "without"
}

const unfinished = ".trial-*.tmp"

// sweep removes what a process that was killed did not finish.
func (f *Folder) sweep() error {
	paths, err := filepath.Glob(filepath.Join(f.dir, unfinished))
	for _, path := range paths {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// Save writes a trial's document.
func (f *Folder) Save(t Trial, d *report.Document) error {
	temp, err := os.CreateTemp(f.dir, unfinished)
	if err != nil {
		return err
	}
	err = report.WriteJSON(temp, d)
	if err == nil {
		err = temp.Sync() // before the rename, or a power cut leaves an empty file of that name
	}
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), f.path(t))
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return fmt.Errorf("saving a trial: %w", err)
	}
	return nil
}

// Load reads a trial's document, nil if it has not been made yet.
func (f *Folder) Load(t Trial) (*report.Document, error) {
	file, err := os.Open(f.path(t))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d, err := report.Read(f.path(t), file)
	if err != nil {
		return nil, err
	}
	if d.Plan.Seed != t.Seed || d.Plan.URL != f.suite.Servers[t.Server].URL {
		return nil, fmt.Errorf("%s: is not the trial that it is called", f.path(t))
	}
	return d, nil
}

// path is that of a trial's file: its place makes it unique, names make it findable.
func (f *Folder) path(t Trial) string {
	name := fmt.Sprintf("%05d-%s-%s.json", t.Place, slug(f.suite.Servers[t.Server].Name), slug(f.suite.Loads[t.Load].Name))
	return filepath.Join(f.dir, name)
}

// Log is the file of what a server says on standard error.
func (f *Folder) Log(server int) string {
	return filepath.Join(f.dir, fmt.Sprintf("server-%d-%s.stderr", server+1, slug(f.suite.Servers[server].Name)))
}

// Close lets other processes have the folder.
func (f *Folder) Close() error { return f.lock.Close() }

// slug is a name as a part of a file's name.
func slug(name string) string {
	const most = 40
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, name)
	return safe[:min(len(safe), most)]
}

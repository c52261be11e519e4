package sampler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stage is a host from testdata/proc in a directory of its own, where a test can
// change it.
type stage struct {
	t    *testing.T
	dir  string
	name string
	*groups
}

func setStage(t *testing.T, name string) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir(), name: name}
	s.lay("")
	return s
}

// lay copies the fixture, or the part of it that is for later, over what is there.
func (s *stage) lay(part string) {
	s.t.Helper()
	from := filepath.Join("../testdata/proc", s.name, part)
	if err := filepath.WalkDir(from, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s.write(strings.TrimPrefix(name, from), string(text))
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	name = filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) remove(name string) {
	s.t.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) view(owners map[uint64][]int32) view {
	return view{
		proc: filepath.Join(s.dir, "proc"), cgroup: filepath.Join(s.dir, "cgroup"), root: filepath.Join(s.dir, "root"),
		owners: owners, at: time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC),
	}
}

// find looks selections up on the stage.
func (s *stage) find(optional bool, owners map[uint64][]int32, selections ...string) (HostInfo, []GroupInfo, error) {
	s.t.Helper()
	var parsed []Selection
	for _, text := range selections {
		selection, err := ParseSelection(text)
		if err != nil {
			s.t.Fatal(err)
		}
		parsed = append(parsed, selection)
	}
	s.groups = newGroups(&Config{Selections: parsed, Optional: optional, Merge: optional})
	return s.groups.find(s.view(owners))
}

func (s *stage) mustFind(selections ...string) (HostInfo, []GroupInfo) {
	s.t.Helper()
	host, infos, err := s.find(false, nil, selections...)
	if err != nil {
		s.t.Fatal(err)
	}
	return host, infos
}

func (s *stage) mustRead() (Reading, []string) {
	s.t.Helper()
	v := s.view(nil)
	r, notes, err := s.groups.read(&v)
	if err != nil {
		s.t.Fatal(err)
	}
	return r, notes
}

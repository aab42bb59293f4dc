package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// entries finds entries of AI clients that start a program, or an app, which is no longer
// there, and files of clients that can't be read.
func (d *Doctor) entries(context.Context) (findings []finding.Finding) {
	const subject = "clients"
	system, err := aiclients.ThisSystem()
	if err != nil {
		return []finding.Finding{finding.Hint(subject, "the files of AI clients are unknown: "+err.Error(), "set HOME to your folder")}
	}
	installed, problems := aiclients.Installed(system, d.root())
	for _, problem := range problems {
		findings = append(findings, finding.Hint(subject, naming.Printable(problem.Error()), "correct the file"))
	}
	for _, entry := range installed {
		missing, verb := "", "uninstall"
		switch {
		case !entry.FolderExists:
			missing = "the folder " + entry.Folder
		case !entry.ProgramExists:
			missing, verb = "the program "+entry.Command, "install"
		default:
			continue
		}
		findings = append(findings, finding.Broken(subject,
			fmt.Sprintf("%s can't start %s, since %s doesn't exist (%s)", entry.Client.Name, naming.Printable(entry.Name), naming.Printable(missing), entry.File),
			d.repair(verb, entry)))
	}
	if len(findings) == 0 && len(installed) > 0 {
		what := "1 entry starts an app that exists"
		if len(installed) > 1 {
			what = fmt.Sprintf("%d entries start apps that exist", len(installed))
		}
		findings = append(findings, finding.OK(subject, what))
	}
	return findings
}

// lostHandles finds entries that start a server of the app by a handle that it doesn't have.
func (d *Doctor) lostHandles(listed launcher.Listing) (findings []finding.Finding) {
	system, err := aiclients.ThisSystem()
	if err != nil {
		return nil // it has been reported
	}
	installed, _ := aiclients.Installed(system, d.root()) // the problems have been reported
	for _, entry := range installed {
		has := slices.ContainsFunc(listed.Local, func(local launcher.ListedHandle) bool { return local.Handle == entry.Handle })
		if has || !entry.Starts(aiclients.App{Handle: entry.Handle, Folder: d.root()}) {
			continue
		}
		findings = append(findings, finding.Broken("clients",
			fmt.Sprintf("%s can't start %s, since the app has no handle %s (%s)", entry.Client.Name, naming.Printable(entry.Name), naming.Printable(entry.Handle), entry.File),
			d.repair("uninstall", entry)))
	}
	return findings
}

// repair returns what to do about an entry. Without a folder, mcp install and mcp uninstall
// don't know whose entry it is. They find the file of a project from an app in it, so that an
// entry there of a folder that is gone, as on another computer, becomes one of that app.
func (d *Doctor) repair(verb string, entry aiclients.Entry) string {
	folder := entry.Folder
	if entry.Scope == aiclients.Project && !entry.FolderExists {
		verb, folder = "install", d.root()
	}
	ours := aiclients.App{Handle: entry.Handle, Folder: d.root()}
	if folder == "" || entry.Scope == aiclients.Project && entry.FolderExists && !entry.Starts(ours) {
		return "correct the entry there, or remove it"
	}
	fix := []string{"mcp", verb, entry.Handle, "--client", entry.Client.ID, "--dir", folder}
	if verb == "install" && entry.Name != entry.Handle {
		fix = append(fix, "--name", entry.Name)
	}
	if entry.Scope == aiclients.Project {
		fix = append(fix, "--scope", "project")
	}
	return "run: " + naming.CommandLine(fix...)
}

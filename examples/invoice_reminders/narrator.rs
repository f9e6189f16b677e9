//! The narrator: prints what happens while it happens.

use std::collections::BTreeMap;

use crate::journal::Event;
use crate::summary::count;

/// Prints what happens while it happens.
#[derive(Debug, Default)]
pub(crate) struct Narrator {
    killed: Option<String>,
    mails: BTreeMap<String, usize>,
    replacements: u8,
}

impl Narrator {
    pub(crate) fn tell(&mut self, name: &str, event: &Event) {
        match event {
            Event::Start { .. } => {
                self.mails.insert(name.to_owned(), 0);
            }
            Event::Mail { .. } => *self.mails.entry(name.to_owned()).or_default() += 1,
            Event::End { tick } => {
                let mails = self.mails.remove(name).unwrap_or_default();
                match self.killed.take() {
                    Some(killed) => println!("tick {tick:2}  {name} mailed {mails}: took over from {killed}"),
                    None => println!("tick {tick:2}  {name} mailed {mails}"),
                }
            }
            Event::Failed { tick, why } => println!("tick {tick:2}  {name} failed: {why}"),
            _ => {}
        }
    }

    /// Says that an instance was killed, and names the one that replaces it.
    pub(crate) fn replace(&mut self, name: &str, cut: Option<usize>) -> String {
        let replacement = char::from(b'D' + self.replacements).to_string();
        self.replacements += 1;
        match cut {
            Some(mails) => {
                println!(
                    "         {name} killed (SIGKILL) after {}; {replacement} starts",
                    count(mails, "mail")
                )
            }
            None => {
                println!("         {name} killed (SIGKILL) too late, between two runs; {replacement} starts")
            }
        }
        if cut.is_some() {
            self.killed = Some(name.to_owned());
        }
        replacement
    }
}

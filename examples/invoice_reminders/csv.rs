//! The invoices: reads the CSV file and deals the overdue ones out over the ticks, oldest first.

use std::io;
use std::path::Path;

use crate::plan::{TODAY, about};

const HEADER: &str = "id,customer,email,amount,due";

/// A line of the file.
#[derive(Clone, Debug)]
pub(crate) struct Invoice {
    pub(crate) id: String,
    pub(crate) customer: String,
    pub(crate) email: String,
    pub(crate) amount: String,
    /// As `YYYY-MM-DD`, so that the order of the text is the order of the days.
    pub(crate) due: String,
}

/// An overdue invoice and the tick at which its customer is to be mailed.
#[derive(Clone, Debug)]
pub(crate) struct Reminder {
    pub(crate) tick: u32,
    pub(crate) invoice: Invoice,
}

impl Reminder {
    /// The name of the mail's file: one name for one mail, whoever sends it.
    pub(crate) fn file_name(&self) -> String {
        mail_name(self.tick, &self.invoice.id)
    }
}

/// The file name of the mail of a tick about an invoice.
pub(crate) fn mail_name(tick: u32, invoice: &str) -> String {
    format!("tick-{tick:02}-{invoice}.eml")
}

/// Reads the invoices that come with the example.
pub(crate) fn read_invoices() -> io::Result<Vec<Invoice>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/invoices.csv");
    let text = std::fs::read_to_string(&path).map_err(|error| about(error, &path))?;
    parse(&text)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display())))
}

fn parse(text: &str) -> Result<Vec<Invoice>, String> {
    let mut lines = text.lines().zip(1..);
    match lines.next() {
        Some((HEADER, _)) => {}
        _ => return Err(format!("the first line should be {HEADER:?}")),
    }
    lines
        .map(|(line, number)| {
            parse_line(line).ok_or_else(|| format!("line {number}: not {HEADER:?}: {line:?}"))
        })
        .collect()
}

/// The file has no quotes and no commas inside of a field.
fn parse_line(line: &str) -> Option<Invoice> {
    let fields: Vec<&str> = line.split(',').collect();
    let [id, customer, email, amount, due] = fields[..] else {
        return None;
    };
    amount.parse::<f64>().ok()?;
    let is_date = due.len() == 10 && due.split('-').all(|part| part.parse::<u16>().is_ok());
    let own = str::to_owned;
    is_date.then(|| Invoice {
        id: own(id),
        customer: own(customer),
        email: own(email),
        amount: own(amount),
        due: own(due),
    })
}

/// The overdue invoices, oldest first, in equal shares over the ticks `1..=ticks`.
pub(crate) fn deal(mut invoices: Vec<Invoice>, ticks: u32) -> Vec<Reminder> {
    invoices.retain(|invoice| invoice.due.as_str() < TODAY);
    invoices.sort_by(|a, b| (&a.due, &a.id).cmp(&(&b.due, &b.id)));
    let overdue = invoices.len().max(1);
    let tick_of = |place: usize| 1 + u32::try_from(place * ticks as usize / overdue).unwrap_or(u32::MAX);
    invoices
        .into_iter()
        .enumerate()
        .map(|(place, invoice)| Reminder { tick: tick_of(place), invoice })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_overdue_invoice_is_dealt_to_one_tick() {
        let reminders = deal(read_invoices().expect("the file of the example"), 7);
        assert_eq!(reminders.len(), 150);
        assert!((1..=7).all(|tick| reminders.iter().filter(|reminder| reminder.tick == tick).count() >= 21));
        assert!(reminders.iter().all(|reminder| (1..=7).contains(&reminder.tick)));
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = parse("id,customer,email,amount,due\nINV-1,Amber,amber@example.com,12.50\n")
            .expect_err("refused");
        assert!(error.starts_with("line 2: "), "{error}");
    }
}

//! What is known about the type of a name without asking a compiler.

pub use crate::ledger::{Book, Page as Leaf};

const FIRST: Book = Book::EMPTY;
static SHELF: Option<ledger::Shelf> = None;

pub struct Clerk<'a> {
    shelf: &'a mut Shelf,
    books: Vec<Book>,
}

trait Open {
    fn open(&self, name: &str) -> Result<Book, Error>;
}

impl<'a> Open for Clerk<'a> {
    fn open(&self, name: &str) -> Result<Book, Error> {
        let written: Book = name.into();
        let made = Book::new(name);
        let literal = ledger::Book { pages: 1 };
        let mut tried = ledger::open::<u8>(name)?;
        let waited = self.shelf.take().await;
        let both = Shelf::load().await?;
        let plain = clerk();
        let take = |page: Leaf| -> Book { page.book() };
        let (left, right) = pair();
        match made.kind() {
            Kind::Bound(cover) => cover.open(),
            ledger::Kind::Loose { .. } => assert_eq!(plain.shelf.len(), Shelf::len(left)),
        }
        Ok(take(tried.first(both, written, literal, waited, right)))
    }
}

fn clerk() -> Clerk<'static> {
    <Clerk as Default>::default()
}

import module java.base;

/** Statements before the call of another constructor, which the grammar does not know. */
class Newer extends Base {
    Newer(int größe) {
        check(größe);
        super(größe);
    }

    Newer() {
        var größe = 1;
        this(größe);
    }
}

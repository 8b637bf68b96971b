<?php

/**
 * A comment for the file: a blank line follows, so it is attached to nothing.
 */

declare(strict_types=1);

namespace Shop\Orders;

use ArrayAccess;
use Shop\Contracts\{Priced, Storage\Driver as StorageDriver};
use Shop\Models\Customer as Client, Shop\Models\Item;
use function Shop\Support\money;
use const Shop\Support\VAT;

require_once __DIR__ . '/helpers.php';
$config = require 'config.php';

const VERSION = '1.0', LIMITS = [
    'items' => 10,
];

define('SHOP_ROOT', __DIR__);

/**
 * A doc comment is attached, attributes included.
 *
 * @template T of Priced
 */
#[Entity(table: 'carts'), Cached]
#[Deprecated]
abstract class Cart extends Model implements ArrayAccess, \Countable, namespace\Listed
{
    use SoftDeletes;
    use Totals, \Shop\Support\Events {
        Totals::fire insteadof Events;
        Events::fire as protected fireEvent;
    }

    public const MAX = 100;

    final protected const string CURRENCY = 'EUR', SIGN = '€';

    /** The names of both are symbols; the statement is the region of each. */
    private static ?array $cache = null, $order = [
        'name',
        'price',
    ];

    // A comment that is no doc comment is not attached.
    protected string $template = <<<HTML
        <p>Größe</p>
        HTML;

    var $legacy;

    public function __construct(
        private readonly Client $owner,
        /** A promoted parameter is a property of the class. */
        #[Sensitive] protected ?string $größe = null,
        public private(set) int|float $total = 0,
        array $items = [],
    ) {
        $unused = new Item();
        static $count = 0;

        function registered_on_first_call(): void
        {
        }
    }

    public static function create(Client $owner, Item|Priced ...$items): static
    {
        $add = function (Item $item) use ($owner): void {
            $owner?->notify($item);
        };
        array_walk($items, $add);

        return new static($owner, items: $items);
    }

    public function &offsetGet(mixed $offset): mixed
    {
        return array_map(fn (Item $item): int => $item->price, self::$cache)[$offset];
    }

    abstract protected function visit((Priced&\Countable)|null $visitor): never;
}

final readonly class Price
{
    public function __construct(public int $cents) {}
}

/** Functions may be declared under a condition. */
if (! function_exists('total')) {
    error_log('declaring total');

    /**
     * @param  iterable<Item>  $items
     */
    function total(
        iterable $items,
        float $rate = VAT,
    ): float {
        return money($items) * (1 + $rate) + \array_sum([]) + Cart::MAX;
    }
}

return new class ($config) extends Cart {
    public int $count = 0;

    public function up(): void
    {
        Schema::create('carts', function (Blueprint $table) {
            $table->id();
        });
    }
};

class Sealed
{
    public function __construct(final $id, final $parts = []) {}
}

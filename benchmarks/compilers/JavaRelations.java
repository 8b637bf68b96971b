import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.AnnotatedTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints what javac says that the names of each file stand for: one JSON line
 * {@code [path, [[kind, line, column, name, receiver, definitions], …]]} for each file named on
 * standard input, relative to the root given as argument. Lines are 1-based, columns UTF-16.
 *
 * <p>Kinds: {@code call}; {@code value} for a method reference; {@code base}; {@code override} at a
 * method, one row for each declaration of a base type that it overrides. {@code definitions} is
 * null where javac has no answer, else a list of {@code [path, line, column]}, the path null where
 * it leads out of the workspace. Libraries are not read: what they declare has no answer.
 */
public class JavaRelations {
  private static final Map<String, String> names = new HashMap<>();
  private static Trees trees;
  private static Elements elements;
  private static Types types;
  private static SourcePositions positions;

  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]).toRealPath();
    List<File> sources = new ArrayList<>();
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String name = input.readLine(); name != null; name = input.readLine()) {
      if (!name.endsWith("module-info.java") && !name.endsWith("package-info.java")) {
        File file = root.resolve(name).toFile();
        sources.add(file);
        names.put(file.toPath().toUri().toString(), name);
      }
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager files =
        compiler.getStandardFileManager(problem -> {}, null, StandardCharsets.UTF_8);
    JavacTask task =
        (JavacTask)
            compiler.getTask(
                null,
                files,
                problem -> {},
                List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "1000000"),
                null,
                files.getJavaFileObjectsFromFiles(sources));
    trees = Trees.instance(task);
    elements = task.getElements();
    types = task.getTypes();
    positions = trees.getSourcePositions();
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    task.analyze();
    PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (CompilationUnitTree unit : units) {
      Scanner scanner = new Scanner(unit);
      scanner.scan(unit, null);
      output.println(
          "[" + quoted(nameOf(unit)) + ",[" + String.join(",", scanner.rows) + "]]");
    }
    output.flush();
  }

  private static String nameOf(CompilationUnitTree unit) {
    return names.get(unit.getSourceFile().toUri().toString());
  }

  private static String quoted(String value) {
    return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static String textOf(CompilationUnitTree unit) {
    try {
      return unit.getSourceFile().getCharContent(true).toString();
    } catch (IOException problem) {
      throw new IllegalStateException(problem);
    }
  }

  /** Where a word stands first behind an offset, comments left out. */
  private static long wordAt(String source, long offset, String word) {
    int at = (int) offset;
    while (at >= 0 && at < source.length()) {
      if (source.startsWith("//", at)) {
        at = source.indexOf('\n', at);
      } else if (source.startsWith("/*", at)) {
        at = source.indexOf("*/", at + 2) + 2;
      } else if (Character.isJavaIdentifierStart(source.charAt(at))) {
        int end = at;
        while (end < source.length() && Character.isJavaIdentifierPart(source.charAt(end))) {
          end++;
        }
        if (source.substring(at, end).equals(word)) {
          return at;
        }
        at = end;
      } else {
        at++;
      }
    }
    return offset;
  }

  private static String place(CompilationUnitTree unit, long offset) {
    LineMap lines = unit.getLineMap();
    long line = lines.getLineNumber(offset);
    return line + "," + (offset - lines.getStartPosition(line));
  }

  private static final Map<Element, String> known = new HashMap<>();

  /** {@code [path, line, column]}, or null where javac has no answer. */
  private static String definition(Element element) {
    if (element == null
        || element.getKind() == ElementKind.OTHER
        || element.asType().getKind() == TypeKind.ERROR) {
      return null;
    }
    String found = known.get(element);
    if (found == null) {
      found = declared(element);
      known.put(element, found);
    }
    return found;
  }

  private static String declared(Element element) {
    TreePath path = trees.getPath(element);
    if (path == null && element.getKind() == ElementKind.CONSTRUCTOR) {
      return definition(element.getEnclosingElement());
    }
    if (path == null || nameOf(path.getCompilationUnit()) == null) {
      return "[null,0,0]";
    }
    CompilationUnitTree unit = path.getCompilationUnit();
    boolean constructs = element.getKind() == ElementKind.CONSTRUCTOR;
    Element named = constructs ? element.getEnclosingElement() : element;
    String word = named.getSimpleName().toString();
    long start = positions.getStartPosition(unit, path.getLeaf());
    Tree leaf = path.getLeaf();
    if (leaf instanceof MethodTree) {
      MethodTree method = (MethodTree) leaf;
      Tree before = method.getReturnType();
      long after = before == null ? -1 : positions.getEndPosition(unit, before);
      if (after < 0) {
        after = positions.getEndPosition(unit, method.getModifiers());
      }
      start = after < 0 ? start : after;
    } else if (leaf instanceof ClassTree) {
      long after = positions.getEndPosition(unit, ((ClassTree) leaf).getModifiers());
      start = after < 0 ? start : after;
    }
    long at = wordAt(textOf(unit), start, word);
    return "[" + quoted(nameOf(unit)) + "," + place(unit, at) + "]";
  }

  private static class Scanner extends TreePathScanner<Void, Void> {
    final Set<String> rows = new LinkedHashSet<>();
    private final CompilationUnitTree unit;
    private final String source;

    Scanner(CompilationUnitTree unit) {
      this.unit = unit;
      this.source = textOf(unit);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree node, Void nothing) {
      ExpressionTree select = node.getMethodSelect();
      Element element = trees.getElement(new TreePath(getCurrentPath(), select));
      named("call", select, element);
      return super.visitMethodInvocation(node, nothing);
    }

    @Override
    public Void visitNewClass(NewClassTree node, Void nothing) {
      Tree type = node.getIdentifier();
      while (type instanceof ParameterizedTypeTree || type instanceof AnnotatedTypeTree) {
        type =
            type instanceof ParameterizedTypeTree
                ? ((ParameterizedTypeTree) type).getType()
                : ((AnnotatedTypeTree) type).getUnderlyingType();
      }
      TreePath path = TreePath.getPath(getCurrentPath(), type);
      Element element = path == null ? null : trees.getElement(path);
      if (node.getClassBody() == null) {
        Element constructor = trees.getElement(getCurrentPath());
        named("call", type, constructor == null ? null : element, constructor);
      } else {
        // One use: an anonymous class is a subclass of what it creates.
        named("base", type, element, element);
      }
      return super.visitNewClass(node, nothing);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree node, Void nothing) {
      Element element = trees.getElement(getCurrentPath());
      String name = node.getName().toString();
      if (!name.equals("<init>")) {
        long after = positions.getEndPosition(unit, node.getQualifierExpression());
        add("value", wordAt(source, after, name), name, receiver(node.getQualifierExpression()),
            element, element);
      }
      return super.visitMemberReference(node, nothing);
    }

    @Override
    public Void visitClass(ClassTree node, Void nothing) {
      if (node.getSimpleName().length() > 0) {
        List<Tree> bases = new ArrayList<>(node.getImplementsClause());
        if (node.getExtendsClause() != null) {
          bases.add(0, node.getExtendsClause());
        }
        for (Tree base : bases) {
          Tree type = base;
          while (type instanceof ParameterizedTypeTree || type instanceof AnnotatedTypeTree) {
            type =
                type instanceof ParameterizedTypeTree
                    ? ((ParameterizedTypeTree) type).getType()
                    : ((AnnotatedTypeTree) type).getUnderlyingType();
          }
          TreePath path = TreePath.getPath(getCurrentPath(), type);
          Element element = path == null ? null : trees.getElement(path);
          named("base", type, element, element);
        }
      }
      return super.visitClass(node, nothing);
    }

    @Override
    public Void visitMethod(MethodTree node, Void nothing) {
      Element element = trees.getElement(getCurrentPath());
      if (element instanceof ExecutableElement && element.getKind() == ElementKind.METHOD) {
        ExecutableElement method = (ExecutableElement) element;
        TypeElement owner = (TypeElement) method.getEnclosingElement();
        String own = definition(method);
        for (TypeElement base : allBases(owner)) {
          for (ExecutableElement other : ElementFilter.methodsIn(base.getEnclosedElements())) {
            if (other.getSimpleName().equals(method.getSimpleName())
                && elements.overrides(method, other, owner)) {
              String found = definition(other);
              if (own != null && found != null && !found.startsWith("[null")) {
                String at = own.substring(own.lastIndexOf('"') + 2, own.length() - 1);
                rows.add(
                    "[\"override\"," + at + "," + quoted(method.getSimpleName().toString())
                        + ",\"\",[" + found + "]]");
              }
            }
          }
        }
      }
      return super.visitMethod(node, nothing);
    }

    private static Set<TypeElement> allBases(TypeElement type) {
      Set<TypeElement> found = new LinkedHashSet<>();
      Deque<TypeMirror> pending = new ArrayDeque<>(types.directSupertypes(type.asType()));
      while (!pending.isEmpty()) {
        TypeMirror each = pending.poll();
        if (each instanceof DeclaredType) {
          Element element = ((DeclaredType) each).asElement();
          if (element instanceof TypeElement && found.add((TypeElement) element)) {
            pending.addAll(types.directSupertypes(each));
          }
        }
      }
      return found;
    }

    private void named(String kind, Tree tree, Element element) {
      named(kind, tree, element, element);
    }

    /** The place of the name that a tree ends with; `element` tells whether it is known. */
    private void named(String kind, Tree tree, Element element, Element target) {
      if (tree instanceof IdentifierTree) {
        String name = ((IdentifierTree) tree).getName().toString();
        if (!name.equals("super") && !name.equals("this")) {
          long at = positions.getStartPosition(unit, tree);
          add(kind, at, name, "", element, target);
        }
      } else if (tree instanceof MemberSelectTree) {
        MemberSelectTree select = (MemberSelectTree) tree;
        String name = select.getIdentifier().toString();
        long after = positions.getEndPosition(unit, select.getExpression());
        add(kind, wordAt(source, after, name), name, receiver(select.getExpression()), element,
            target);
      }
    }

    private void add(
        String kind, long at, String name, String receiver, Element element, Element target) {
      String found = element == null ? null : definition(target == null ? element : target);
      rows.add(
          "[" + quoted(kind) + "," + place(unit, at) + "," + quoted(name) + "," + quoted(receiver)
              + "," + (found == null ? "null" : "[" + found + "]") + "]");
    }

    private static String receiver(Tree tree) {
      if (tree instanceof IdentifierTree) {
        String name = ((IdentifierTree) tree).getName().toString();
        return name.equals("super") ? "super()" : name;
      }
      if (tree instanceof MemberSelectTree) {
        String before = receiver(((MemberSelectTree) tree).getExpression());
        String name = ((MemberSelectTree) tree).getIdentifier().toString();
        return before.equals("?") || before.endsWith("()") ? "?" : before + "." + name;
      }
      if (tree instanceof MethodInvocationTree || tree instanceof NewClassTree) {
        return "f()";
      }
      return "?";
    }
  }
}
